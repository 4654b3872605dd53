/**
 * What import wants to write, before it is YAML: plain data in which order is kept and names are never keys of
 * JavaScript objects.
 */
export type Value = Text | Sequence | Mapping;

/** A scalar: `text` is what a YAML reader must get. */
export interface Text {
  readonly kind: "text";
  readonly text: string;
}

export interface Sequence {
  readonly kind: "sequence";
  readonly items: readonly Value[];
  /** `name` of each item identifies it (entries), the item itself does (members), or all that it says (contents). */
  readonly of: "entries" | "members" | "contents";
  /** Order has meaning, so that a file's own order gives way to it. */
  readonly ordered: boolean;
}

export interface Mapping {
  readonly kind: "mapping";
  readonly pairs: readonly Pair[];
  /** Keys are child elements and directives, or names of entries. */
  readonly of: "children" | "entries";
  /** May stand on one line: objects do, the containers above them do not. */
  readonly inline: boolean;
}

export type Pair = readonly [key: string, value: Value];

export const text = (value: string): Text => ({ kind: "text", text: value });

export const members = (items: readonly Value[], ordered = false): Sequence => ({ kind: "sequence", items, of: "members", ordered });

export const contents = (items: readonly Mapping[], ordered: boolean): Sequence => ({ kind: "sequence", items, of: "contents", ordered });

export const entries = (items: readonly Value[], ordered: boolean): Sequence => ({ kind: "sequence", items, of: "entries", ordered });

export const mapping = (pairs: readonly Pair[], inline: boolean): Mapping => ({ kind: "mapping", pairs, of: "children", inline });

export const keyedEntries = (pairs: readonly Pair[]): Mapping => ({ kind: "mapping", pairs, of: "entries", inline: false });

export const EMPTY: Mapping = mapping([], true);

/** True for a mapping without keys: the present, empty element. */
export function isEmptyMapping(value: Value): boolean {
  return value.kind === "mapping" && value.pairs.length === 0;
}
