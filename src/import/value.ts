/** Values that import writes, before they are YAML. They keep the order, and names are never keys of JavaScript objects. */
export type Value = Text | Sequence | Mapping;

/** Scalar. `text` is the text that a YAML parser reads. */
export interface Text {
  readonly kind: "text";
  readonly text: string;
}

export interface Sequence {
  readonly kind: "sequence";
  readonly items: readonly Value[];
  /** Key of the items: their `name` (entries), the item itself (members), or their complete content (contents). */
  readonly of: "entries" | "members" | "contents";
  /** The order is significant and replaces the order of the file. */
  readonly ordered: boolean;
}

export interface Mapping {
  readonly kind: "mapping";
  readonly pairs: readonly Pair[];
  /** Keys are child elements and directives, or names of entries. */
  readonly of: "children" | "entries";
  /** May be on one line. This is true for objects, but not for the containers above them. */
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

/** Returns whether a mapping has no keys. It represents an existing, empty element. */
export function isEmptyMapping(value: Value): boolean {
  return value.kind === "mapping" && value.pairs.length === 0;
}
