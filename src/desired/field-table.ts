import type { Path } from "../core/tree/path.js";
import type { KnownField } from "./kind.js";

/** What a value must be, in the words of the table, or rows of what stands below. */
type FieldRow = string | FieldRows;

interface FieldRows {
  readonly $?: string;
  readonly $needs?: string;
  readonly $soon?: boolean;
  readonly $use?: readonly string[];
  readonly [tag: string]: FieldRow | readonly string[] | boolean | undefined;
}

/** What values of a platform may be, as data; its files say in `about` how rows are written. */
export interface FieldTable {
  readonly root: FieldRow;
  readonly types: Readonly<Record<string, FieldRow>>;
}

/** What is known of a place in a platform's tree and of all below it. To be walked beside a tree by tags, `entry` and `member` among them. */
export interface FieldPlace {
  /** Of the text here; of a list of members that of each. */
  readonly field: KnownField | undefined;
  /** Of names of the entries here. */
  readonly names: KnownField | undefined;
  /** Of each group of tags one must be there: in each entry where `names` is known, else here. */
  readonly needs: readonly (readonly string[])[];
  /** A later version will call it an error. */
  readonly soon: boolean;
  /** Undefined where nothing is known. */
  child(tag: string): FieldPlace | undefined;
}

/** Places are made when they are first asked for, and kept; a malformed table throws then. */
export function buildFields(table: FieldTable): FieldPlace {
  return new RowPlace(table, table.root, false);
}

/** What is known of the leaf, or of each member of the list, that is at `path`. */
export function fieldAt(root: FieldPlace, path: Path): KnownField | undefined {
  return placeAt(root, path)?.field;
}

/** @param path from the root element */
export function placeAt(root: FieldPlace, path: Path): FieldPlace | undefined {
  return path
    .steps()
    .slice(1)
    .reduce<FieldPlace | undefined>((place, { tag }) => place?.child(tag), root);
}

const NOTHING: FieldPlace["needs"] = [];
const ANY_DEPTH = "**";

class RowPlace implements FieldPlace {
  readonly field: KnownField | undefined;
  readonly names: KnownField | undefined;
  readonly needs: FieldPlace["needs"];
  readonly soon: boolean;
  readonly #table: FieldTable;
  readonly #rows: FieldRows | undefined;
  #below: Map<string, FieldRow> | undefined;
  readonly #made = new Map<string, FieldPlace>();

  constructor(table: FieldTable, row: FieldRow, soon: boolean) {
    const resolved = typeof row === "string" && row.startsWith("@") ? typeOf(table, row.slice(1)) : row;
    const rows = typeof resolved === "string" ? undefined : resolved;
    const deep = rows?.[ANY_DEPTH];
    const own = typeof resolved === "string" ? resolved : deep;
    this.field = typeof own === "string" ? parseField(own) : undefined;
    this.names = rows?.$ === undefined ? undefined : parseField(rows.$);
    this.needs = rows?.$needs === undefined ? NOTHING : rows.$needs.split(" ").map((group) => group.split("|"));
    this.soon = soon || rows?.$soon === true;
    this.#table = table;
    this.#rows = rows;
  }

  child(tag: string): FieldPlace | undefined {
    if (tag === "entry" || tag === "member") return this;
    if (this.#rows === undefined) return undefined;
    const made = this.#made.get(tag);
    if (made !== undefined) return made;
    this.#below ??= this.#collect(this.#rows, new Map());
    const deep = this.#below.get(ANY_DEPTH);
    const row = this.#below.get(tag) ?? (deep === undefined ? undefined : { [ANY_DEPTH]: deep });
    if (row === undefined) return undefined;
    const place = new RowPlace(this.#table, row, this.soon);
    this.#made.set(tag, place);
    return place;
  }

  #collect(rows: FieldRows, into: Map<string, FieldRow>): Map<string, FieldRow> {
    for (const name of rows.$use ?? []) {
      const used = typeOf(this.#table, name);
      if (typeof used !== "string") this.#collect(used, into);
    }
    for (const [key, row] of Object.entries(rows))
      if (!key.startsWith("$")) for (const tag of key.split(",")) into.set(tag.trim(), row as FieldRow);
    return into;
  }
}

function typeOf({ types }: FieldTable, name: string): FieldRow {
  const row = types[name];
  if (row === undefined) throw new Error(`field table: no type "${name}"`);
  return row;
}

const YES_NO = ["yes", "no"];

function parseField(text: string): KnownField {
  return Object.assign({}, ...text.split(" ").map(parseWord)) as KnownField;
}

function parseWord(word: string): KnownField {
  if (word === "yes-no") return { words: YES_NO };
  if (word.includes("|")) return { words: word.split("|").filter((each) => each !== "") };
  const range = /^(decimal:)?(-?[0-9.]*?)\.\.(-?[0-9.]*)$/.exec(word);
  if (range !== null) {
    const [, decimal, from = "", to = ""] = range;
    return {
      number: decimal === undefined ? "whole" : "decimal",
      ...(from === "" ? {} : { from: Number(from) }),
      ...(to === "" ? {} : { to: Number(to) }),
    };
  }
  const list = /^(most|alone):(.+)$/.exec(word);
  if (list !== null) return list[1] === "most" ? { most: Number(list[2]) } : { alone: list[2] as string };
  const longest = /^([0-9]+)c$/.exec(word)?.[1];
  return longest === undefined ? { form: word } : { longest: Number(longest) };
}
