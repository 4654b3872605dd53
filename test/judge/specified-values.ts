import type { FieldPlace } from "../../src/desired/field-table.js";
import type { Definition, OlderSchema } from "./older-schemas.js";
import type { Place, Rule } from "./specification.js";
import { isElsewhere, rowOf } from "./table.js";

/** Rows of `schemas/panos.specified.json`, nested by tag. */
export interface Rows {
  readonly [tag: string]: string | Rows;
}

interface SpecifiedValues {
  readonly rows: Rows;
  /** Paths without a row, by the reason. */
  readonly undecided: ReadonlyMap<string, readonly string[]>;
}

/** Leaves whose live value is ciphertext, which is longer than the text. */
const ENCRYPTED = new Set(["community", "kerberos-keytab", "key", "password", "private-key", "secret"]);

/**
 * Returns rows for the leaves that the table of values does not know. A leaf gets a row only if all specifications agree and no older
 * schema accepts more.
 */
export function specifiedValues(specifications: Place, known: FieldPlace, schemas: readonly OlderSchema[]): SpecifiedValues {
  const rows = new Map<string, string>();
  const undecided = new Map<string, string[]>();
  const visit = (place: Place, fields: FieldPlace | undefined, path: readonly string[]): void => {
    for (const tag of place.tags()) {
      const [below, child, at] = [place.below(tag), fields?.child(tag), [...path, tag]];
      if (below === undefined || isElsewhere(at)) continue;
      const { row, reason } = child?.field === undefined ? decide(below.rules, at, schemas) : {};
      if (row !== undefined) rows.set(at.filter((step) => step !== "entry" && step !== "member").join("/"), row);
      if (reason !== undefined) undecided.set(reason, [...(undecided.get(reason) ?? []), at.join("/")]);
      visit(below, child, at);
    }
  };
  visit(specifications, known, []);
  return { rows: nested([...rows]), undecided };
}

/** Nests rows by the tags of their paths. Tags with equal rows share a key. */
function nested(rows: readonly (readonly [path: string, row: string])[]): Rows {
  const byTag = new Map<string, [string, string][]>();
  const own = new Map<string, string>();
  for (const [path, row] of rows) {
    const [tag = "", ...rest] = path.split("/");
    if (rest.length === 0) own.set(tag, row);
    else byTag.set(tag, [...(byTag.get(tag) ?? []), [rest.join("/"), row]]);
  }
  const both = [...own.keys()].find((tag) => byTag.has(tag));
  if (both !== undefined) throw new Error(`${both} has a row and rows below`);
  const values = [...own, ...[...byTag].map(([tag, below]) => [tag, nested(below)] as const)];
  const equal = new Map<string, { readonly tags: string[]; readonly value: string | Rows }>();
  for (const [tag, value] of values) {
    const text = JSON.stringify(value);
    const group = equal.get(text) ?? { tags: [], value };
    equal.set(text, { tags: [...group.tags, tag], value });
  }
  const keys = [...equal.values()].map(({ tags, value }) => [tags.sort().join(", "), value] as const);
  return Object.fromEntries(keys.sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Decision {
  readonly row?: string;
  /** Why the leaf has no row. */
  readonly reason?: string;
}

function decide(rules: readonly Rule[], path: readonly string[], schemas: readonly OlderSchema[]): Decision {
  const rows = new Set(rules.map(rowOf));
  const text = [...rows].find((row) => row !== undefined);
  if (text === undefined) return {};
  const tag = path.at(-1) ?? "";
  if (ENCRYPTED.has(tag)) return { reason: "the device encrypts the value" };
  if (tag === "uuid") return { reason: "the device writes the value" };
  if (rows.size > 1) return { reason: "the specifications disagree" };
  if (text === "any") return { reason: "the only word of the specification is any, although addresses are valid too" };
  if (/^(\d+)\.\.\1$/.test(text)) return { reason: "the range contains a single number, and other protocols permit more" };
  const wider = schemas.find(({ at }) => at(path).some((definition) => !isWithin(definition, rules[0] as Rule)));
  return wider === undefined ? { row: text } : { reason: `the schema of ${wider.version} accepts more, or another form` };
}

/** Returns whether the definition of an older version accepts no value that the rule refuses. */
function isWithin(definition: Definition, rule: Rule): boolean {
  if (definition.kind === "words")
    return rule.kind === "bool" || (rule.kind === "enum" && definition.words.every((word) => rule.words.includes(word)));
  if (definition.kind === "text")
    return rule.kind === "text" && definition.longest !== undefined && definition.longest <= (rule.max ?? Infinity);
  if (definition.kind === "number") {
    if (rule.kind !== "integer" && rule.kind !== "decimal") return false;
    return definition.from >= (rule.min ?? -Infinity) && definition.to <= (rule.max ?? Infinity);
  }
  return false;
}
