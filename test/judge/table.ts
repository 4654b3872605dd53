import type { Shape } from "../../src/core/tree/shape.js";
import type { FieldPlace } from "../../src/desired/field-table.js";
import type { KnownField } from "../../src/desired/kind.js";
import type { Place, Rule } from "./specification.js";

/** A row of a table that differs from the specifications. */
interface Difference {
  readonly path: string;
  /** The row that follows from the specifications, in the syntax of the table. */
  readonly specified: string;
  /** The row of the table. Undefined if the table has none. */
  readonly known: string | undefined;
}

/** Tables of the product, compared with the specifications. */
export interface Comparison {
  /** Leaves whose values the table restricts as the specifications do. */
  readonly values: { same: number; readonly differences: Difference[] };
  /** Groups of alternatives, which the shape table has or lacks. */
  readonly alternatives: { same: number; readonly differences: Difference[] };
  /** Leaves for which the specifications contain neither words nor limits. */
  readonly undecided: string[];
}

/** Lists that repeat the tree of a device. */
const OF_TEMPLATES = new Set(["template", "template-stack"]);
const REPEATED = new Set([...OF_TEMPLATES, "device-group"]);
/** Places that no device has. The specifications combine every location with every path. */
const NOWHERE = /^config\/(shared\/(network|rulebase)|devices\/entry\/vsys\/entry\/network)$/;

/** Returns whether a path below `config` is no place of a device, or repeats the tree of a device. */
export function isElsewhere(path: readonly string[]): boolean {
  return REPEATED.has(path.at(-1) ?? "") || NOWHERE.test(["config", ...path].join("/"));
}

/** Groups whose members the vendor's schema permits together (`sequence` in the schema of a PA-220, version 10.0.5). */
const TOGETHER = [/\/certificate\/entry$/];

/** Returns the groups of the specifications at places that the shape table does not know, as rows of `schemas/panos.specified.json`. */
export function specifiedAlternatives(specifications: Place, shape: Shape): Record<string, string[]> {
  const rows: Record<string, string[]> = {};
  const visit = (place: Place, known: Shape, path: string): void => {
    for (const tag of place.tags()) {
      const below = place.below(tag);
      if (below === undefined || OF_TEMPLATES.has(tag) || NOWHERE.test(`config/${path}${tag}`)) continue;
      visit(below, known.child(tag), `${path}${tag}/`);
    }
    const at = path.slice(0, -1);
    const isKnown = (tags: readonly string[]) => tags.some((tag) => known.child(tag).kind !== "unknown");
    const open = place.alternatives.filter((tags) => !isKnown(tags) && !TOGETHER.some((pattern) => pattern.test(at)));
    if (open.length > 0) rows[at] = [...new Set(open.map((tags) => [...tags].sort().join(", ")))];
  };
  visit(specifications, shape, "");
  return Object.fromEntries(Object.entries(rows).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Compares every place of the specifications with the tables of values and shapes. */
export function compareTables(specifications: Place, fields: FieldPlace, shape: Shape): Comparison {
  const found: Comparison = { values: { same: 0, differences: [] }, alternatives: { same: 0, differences: [] }, undecided: [] };
  walk({ place: specifications, fields, shape, path: "config" }, found);
  return found;
}

interface At {
  readonly place: Place;
  readonly fields: FieldPlace | undefined;
  readonly shape: Shape;
  readonly path: string;
}

function walk({ place, fields, shape, path }: At, found: Comparison): void {
  for (const tag of place.tags()) {
    const below = place.below(tag);
    if (below === undefined || REPEATED.has(tag) || NOWHERE.test(`${path}/${tag}`)) continue;
    const at = { place: below, fields: fields?.child(tag), shape: shape.child(tag), path: `${path}/${tag}` };
    compareLeaf(at, found);
    walk(at, found);
  }
  for (const tags of place.alternatives) {
    const choices = tags.map((tag) => shape.child(tag).choice);
    const isSame = choices[0] !== undefined && choices.every((choice) => choice === choices[0]);
    if (isSame) found.alternatives.same += 1;
    else {
      const known = shape.kind === "unknown" ? undefined : tags.map((tag, index) => `${tag}=${choices[index] ?? "none"}`).join(" ");
      found.alternatives.differences.push({ path, specified: tags.join(", "), known });
    }
  }
}

function compareLeaf({ place, fields, path }: At, found: Comparison): void {
  if (place.rules.length === 0) return;
  const rows = place.rules.map(rowOf);
  if (rows.every((row) => row === undefined)) {
    found.undecided.push(path);
    return;
  }
  if (place.rules.some((rule) => isCovered(rule, fields?.field))) found.values.same += 1;
  else found.values.differences.push({ path, specified: rows.find((row) => row !== undefined) ?? "", known: knownRow(fields?.field) });
}

/** Returns the row of the table for a rule. Undefined if the rule permits any text. */
export function rowOf(rule: Rule): string | undefined {
  if (rule.kind === "bool") return "yes-no";
  if (rule.kind === "enum") return rule.words.join("|");
  if (rule.kind === "text") return rule.max === undefined ? undefined : `${rule.max}c`;
  const { min, max } = rule;
  if (min === undefined && max === undefined) return undefined;
  return `${rule.kind === "decimal" ? "decimal:" : ""}${min ?? ""}..${max ?? ""}`;
}

/** Returns whether the table restricts a leaf at least as the rule does. Older versions may permit more words. */
function isCovered(rule: Rule, field: KnownField | undefined): boolean {
  if (rowOf(rule) === undefined) return true;
  if (field === undefined) return false;
  if (field.form !== undefined) return true;
  switch (rule.kind) {
    case "bool":
      return field.words?.includes("yes") === true && field.words.includes("no");
    case "enum":
      return rule.words.every((word) => field.words?.includes(word) === true);
    case "text":
      return field.words !== undefined || field.number !== undefined || field.longest === rule.max;
    default:
      return field.words !== undefined || (field.from === rule.min && field.to === rule.max);
  }
}

function knownRow(field: KnownField | undefined): string | undefined {
  if (field === undefined) return undefined;
  const number = field.number === undefined ? [] : [`${field.from ?? ""}..${field.to ?? ""}`];
  return [...(field.words ?? []), ...number, ...(field.longest === undefined ? [] : [`${field.longest}c`])].join("|");
}
