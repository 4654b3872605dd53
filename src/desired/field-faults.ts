import { pathOf } from "../core/tree/lookup.js";
import { SecretLeaf, type TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import { isOfValues } from "./body/values.js";
import type { FieldPlace } from "./field-table.js";
import type { KnownField } from "./kind.js";
import { checkText } from "./leaf-types.js";
import type { DesiredNode, ValueFault } from "./model.js";
import { listed, suggest } from "./suggest.js";

/**
 * Returns the values of a tree that the platform would refuse, as far as this is known.
 *
 * @param passes Returns whether the content at a position of the source map is not checked.
 */
export function fieldFaults(root: DesiredNode, fields: FieldPlace, passes: (origin: number) => boolean): ValueFault[] {
  const walk = new Walk(passes);
  walk.below(root, fields);
  return walk.faults;
}

/** Returns elements of a live tree that would be refused in a document: leaves, members, entries. */
export function refusedNodes(node: TreeNode, place: FieldPlace, into: Set<TreeNode> = new Set()): Set<TreeNode> {
  if (node.name !== undefined && place.names !== undefined && nameFault(node.name, place.names, "") !== undefined) into.add(node);
  if ((node.name !== undefined || place.names === undefined) && missing(node, place).length > 0) into.add(node);
  const isOther = node.text === "" || node.text.startsWith("$") || node instanceof SecretLeaf;
  if (node.children.length === 0 && place.field !== undefined && !isOther && faultOf(node.text, place.field) !== undefined) into.add(node);
  for (const { member } of listFaults(node.children, place.field)) into.add(member);
  for (const child of node.children) {
    const known = place.child(child.tag);
    if (known !== undefined) refusedNodes(child, known, into);
  }
  return into;
}

type Fault = Pick<ValueFault, "message" | "next">;

class Walk {
  readonly faults: ValueFault[] = [];
  readonly #passes: (origin: number) => boolean;
  /** The ancestors from the root element. Paths are only created for faults. */
  readonly #above: DesiredNode[] = [];

  constructor(passes: (origin: number) => boolean) {
    this.#passes = passes;
  }

  below(node: DesiredNode, place: FieldPlace): void {
    this.#above.push(node);
    if (node.name !== undefined && place.names !== undefined) this.#checkName(node, node.name, place, place.names);
    if (place.needs.length > 0 && node.prunes && (node.name !== undefined || place.names === undefined)) this.#checkNeeds(node, place);
    if (node.children.length === 0) {
      const fault = place.field === undefined || isOpen(node) ? undefined : faultOf(node.text, place.field);
      if (fault !== undefined) this.#add(node, "value-type", fault, place.soon);
    } else {
      for (const { member, fault } of listFaults(node.children, place.field)) {
        if (member.handling?.ignored !== true) this.#add(member, "value-type", fault, place.soon);
      }
      for (const child of node.children) {
        const known = place.child(child.tag);
        if (known !== undefined) this.below(child, known);
      }
    }
    this.#above.pop();
  }

  #checkName(node: DesiredNode, name: string, { soon }: FieldPlace, names: KnownField): void {
    const fault = node.declared && !name.includes("${") ? nameFault(name, names, this.#above.at(-2)?.tag ?? "") : undefined;
    if (fault !== undefined) this.#add(node, "value-type", { message: `The name "${name}" ${fault}.`, next: "Write another one." }, soon);
  }

  #checkNeeds(node: DesiredNode, place: FieldPlace): void {
    for (const group of missing(node, place)) {
      const [what, instead] = group.length === 1 ? [`no ${group[0]}`, `${group[0]}`] : [`none of ${group.join(", ")}`, "one of them"];
      this.#add(node, "field-missing", { message: `"${node.name ?? node.tag}" has ${what}.`, next: `Write ${instead}.` }, place.soon);
    }
  }

  #add(node: DesiredNode, code: ValueFault["code"], { message, next }: Fault, soon: boolean): void {
    if (this.#passes(node.origin)) return;
    const [root, ...steps] = this.#above;
    const start = Path.root.child(root?.tag ?? "");
    // The path of a member's fault is that of the list, because members have no places.
    const path = steps.filter(({ tag, children }) => tag !== "member" || children.length > 0).reduce(pathOf, start);
    this.faults.push({ path, origin: node.origin, code, message, next, soon });
  }
}

/** Returns an error in the name of an entry of `list`, as the end of a sentence. */
export function nameFault(name: string, { longest, form }: KnownField, list: string): string | undefined {
  if (longest !== undefined && name.length > longest && [...name].length > longest)
    return `has ${[...name].length} characters, at most ${longest} are allowed in ${list}`;
  const expected = form === undefined ? undefined : checkText(form, name);
  return expected === undefined ? undefined : `is not ${expected}`;
}

/** Returns members that exceed the limit of the list or cannot be combined with others. A reference counts as one member. */
function listFaults<Node extends TreeNode>(children: readonly Node[], field: KnownField | undefined): { member: Node; fault: Fault }[] {
  if (field === undefined || children.length < 2 || children[0]?.tag !== "member") return [];
  const { alone, most = Number.POSITIVE_INFINITY } = field;
  const found = children.slice(most).map((member) => ({
    member,
    fault: { message: `"${member.text}" is one member too many: the list holds at most ${most}.`, next: "Keep one of them." },
  }));
  const any = children.find(({ text }) => text === alone);
  if (any !== undefined && alone !== undefined) {
    const message = `"${alone}" has other members next to it, and a device accepts it only as the single member.`;
    found.push({ member: any, fault: { message, next: `Delete "${alone}", or all others.` } });
  }
  return found;
}

/** Returns the groups of tags of which no tag is present. Versions before 7.0 write members of a group directly into its entry. */
function missing({ children }: TreeNode, { needs }: FieldPlace): FieldPlace["needs"] {
  if (needs.length === 0 || children[0]?.tag === "member") return NOTHING;
  let found = NOTHING;
  for (const group of needs) if (!holdsOne(children, group)) found = [...found, group];
  return found;
}

function holdsOne(children: readonly TreeNode[], group: readonly string[]): boolean {
  for (const child of children) if (group.includes(child.tag)) return true;
  return false;
}

const NOTHING: FieldPlace["needs"] = [];

/**
 * Returns whether the value is not known yet, or not compared. A variable of a manager's template can have any value. Values from other
 * targets are not errors of this text: they would prevent every target from being loaded.
 */
function isOpen({ handling, declared, text }: DesiredNode): boolean {
  if (!declared || text === "" || text.startsWith("$")) return true;
  if (handling === undefined) return false;
  const isMade = handling.madeBy !== undefined && !isOfValues(handling.madeBy);
  const isElsewhere = handling.unresolved !== undefined || handling.secret !== undefined || isMade;
  return isElsewhere || handling.keep === true || handling.ignored === true;
}

function faultOf(text: string, field: KnownField): Fault | undefined {
  const { words, longest, form } = field;
  if (words !== undefined && !words.includes(text))
    return { message: `"${text}" is not one of ${listed(words)}.`, next: suggest(text, words) };
  if (longest !== undefined && text.length > longest && [...text].length > longest)
    return { message: `The text has ${[...text].length} characters, at most ${longest} are allowed.`, next: "Write a shorter one." };
  const expected = numberFault(text, field) ?? (form === undefined ? undefined : checkText(form, text));
  return expected === undefined ? undefined : { message: `"${text}" is not ${expected}.`, next: `Write ${expected}.` };
}

/** Returns a description of valid numbers if the field does not accept `text`. */
function numberFault(
  text: string,
  { number, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: KnownField,
): string | undefined {
  if (number === undefined) return undefined;
  const form = number === "whole" ? /^[+-]?[0-9]{1,15}$/ : /^[+-]?[0-9]{0,15}\.?[0-9]{0,15}$/;
  if (form.test(text) && Number(text) >= from && Number(text) <= to) return undefined;
  return describeNumbers({ number, from, to });
}

/** Returns a description of the numbers that a field accepts. */
export function describeNumbers({ number, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: KnownField): string {
  const what = number === "decimal" ? "a number" : "an integer";
  const ends = [...(Number.isFinite(from) ? [`from ${from}`] : []), ...(Number.isFinite(to) ? [`to ${to}`] : [])];
  return [what, ...ends].join(" ");
}
