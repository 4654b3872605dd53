import { pathOf } from "../../core/tree/lookup.js";
import { Path } from "../../core/tree/path.js";
import { checkText } from "../../desired/leaf-types.js";
import type { DesiredNode, ValueFault } from "../../desired/model.js";
import { listed, suggest } from "../../desired/nearest.js";
import { type EntryFacts, type FieldFact, OBJECT_FACTS, RULE_FACTS } from "./field-facts.js";

const RULEBASES = ["rulebase", "pre-rulebase", "post-rulebase"];

/**
 * Values that a firewall would refuse, as far as they tell by themselves.
 * @param longest characters of a name, by the tag of its list
 */
export function fieldFaults(root: DesiredNode, longest: ReadonlyMap<string, number>): ValueFault[] {
  const faults: ValueFault[] = [];
  for (const { list, path, facts } of listsBelow(root, Path.root.child(root.tag), undefined)) {
    const most = longest.get(list.tag) ?? Number.POSITIVE_INFINITY;
    for (const entry of list.children) {
      const length = [...(entry.name ?? "")].length;
      if (length > most) {
        const message = `The name has ${length} characters, at most ${most} are allowed in ${list.tag}.`;
        faults.push({ path: pathOf(path, entry), origin: entry.origin, message, next: "Write a shorter one." });
      }
      if (entry.name !== undefined) checkFields(entry, pathOf(path, entry), "", facts, faults);
    }
  }
  return faults;
}

/** What a firewall takes at a leaf of an entry that facts are known of. */
export function fieldAt(path: Path): FieldFact | undefined {
  const steps = path.steps();
  const entry = steps.findIndex((_, index) => factsOfEntry(steps, index) !== undefined);
  const facts = factsOfEntry(steps, entry);
  const field = steps
    .slice(entry + 1)
    .map(({ tag }) => tag)
    .join("/");
  return facts !== undefined && Object.hasOwn(facts, field) ? facts[field] : undefined;
}

/** Facts of the step at `index`, where that is an entry of a list that they are known of. */
function factsOfEntry(steps: readonly Path[], index: number): EntryFacts | undefined {
  if (steps[index]?.name === undefined) return undefined;
  const above = (count: number): Path | undefined => steps[index - count];
  const isRule = above(1)?.tag === "rules" && RULEBASES.includes(above(3)?.tag ?? "");
  const [scope, around] = isRule ? [above(4), above(5)] : [above(2), above(3)];
  if (scope?.tag !== "shared" && (scope?.name === undefined || !["vsys", "device-group"].includes(around?.tag ?? ""))) return undefined;
  const [table, key] = isRule ? [RULE_FACTS, above(2)?.tag ?? ""] : [OBJECT_FACTS, above(1)?.tag ?? ""];
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

interface KnownList {
  readonly list: DesiredNode;
  readonly path: Path;
  readonly facts: EntryFacts;
}

/** Lists that facts are known of, in shared, virtual systems and device groups, of templates too. */
function listsBelow(node: DesiredNode, at: Path, above: string | undefined): KnownList[] {
  const isScope = node.tag === "shared" || (node.name !== undefined && (above === "vsys" || above === "device-group"));
  return node.children.flatMap((child) => {
    const path = pathOf(at, child);
    if (isScope && RULEBASES.includes(child.tag)) return rulesOf(child, path);
    const facts = isScope && Object.hasOwn(OBJECT_FACTS, child.tag) ? OBJECT_FACTS[child.tag] : undefined;
    if (facts !== undefined) return [{ list: child, path, facts }];
    return child.name !== undefined || CONTAINERS.has(child.tag) ? listsBelow(child, path, node.tag) : [];
  });
}

const CONTAINERS = new Set(["shared", "devices", "vsys", "device-group", "template", "template-stack", "config"]);

function rulesOf(rulebase: DesiredNode, at: Path): KnownList[] {
  return rulebase.children.flatMap((kind) => {
    const facts = Object.hasOwn(RULE_FACTS, kind.tag) ? RULE_FACTS[kind.tag] : undefined;
    if (facts === undefined) return [];
    const path = pathOf(at, kind);
    return kind.children.filter(({ tag }) => tag === "rules").map((list) => ({ list, path: pathOf(path, list), facts }));
  });
}

function checkFields(node: DesiredNode, at: Path, above: string, facts: EntryFacts, faults: ValueFault[]): void {
  for (const child of node.children) {
    const field = above === "" ? child.tag : `${above}/${child.tag}`;
    const path = pathOf(at, child);
    const fact = Object.hasOwn(facts, field) ? facts[field] : undefined;
    if (fact === undefined) {
      if (child.name === undefined) checkFields(child, path, field, facts, faults);
      continue;
    }
    for (const leaf of child.children.length === 0 ? [child] : child.children) {
      const fault = isOpen(leaf) ? undefined : faultOf(leaf.text, fact);
      if (fault !== undefined) faults.push({ path, origin: leaf.origin, ...fault });
    }
  }
}

/**
 * What is written is not known yet, or not compared; and a variable of a manager's template stands for anything. What another target
 * is like is no fault of this text: it would keep every target from being loaded.
 */
function isOpen({ handling, declared, text }: DesiredNode): boolean {
  const isElsewhere = handling?.unresolved !== undefined || handling?.secret !== undefined || handling?.madeBy !== undefined;
  return isElsewhere || handling?.keep === true || handling?.ignored === true || !declared || text === "" || text.startsWith("$");
}

function faultOf(text: string, { words, longest, from, to, form }: FieldFact): Pick<ValueFault, "message" | "next"> | undefined {
  if (words !== undefined && !words.includes(text)) {
    return { message: `"${text}" is not one of ${listed(words)}.`, next: suggest(text, words) };
  }
  if (longest !== undefined && [...text].length > longest) {
    return { message: `The text has ${[...text].length} characters, at most ${longest} are allowed.`, next: "Write a shorter one." };
  }
  if (from !== undefined && to !== undefined && !isWithin(text, from, to)) {
    return { message: `"${text}" is not a whole number from ${from} to ${to}.`, next: `Write a number from ${from} to ${to}.` };
  }
  const expected = form === undefined ? undefined : checkText(form, text);
  return expected === undefined ? undefined : { message: `"${text}" is not ${expected}.`, next: `Write ${expected}.` };
}

function isWithin(text: string, from: number, to: number): boolean {
  return /^[0-9]{1,9}$/.test(text) && Number(text) >= from && Number(text) <= to;
}
