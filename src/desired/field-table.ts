import type { Path } from "../core/tree/path.js";
import type { KnownField } from "./kind.js";

/** Rules for a value, in the syntax of the table, or rows for its children. */
type FieldRow = string | FieldRows;

interface FieldRows {
  readonly $?: string;
  readonly $needs?: string;
  readonly $soon?: boolean;
  readonly $use?: readonly string[];
  readonly [tag: string]: FieldRow | readonly string[] | boolean | undefined;
}

/** Valid values of a platform's fields. The key `about` of the files describes the syntax. */
export interface FieldTable {
  readonly root: FieldRow;
  readonly types: Readonly<Record<string, FieldRow>>;
}

/**
 * Known facts about a place in a platform's tree and everything below. Walk it together with a tree, by tags including `entry` and
 * `member`.
 */
export interface FieldPlace {
  /** Rules for the text here, or for each member of a list. */
  readonly field: KnownField | undefined;
  /** Rules for names of the entries here. */
  readonly names: KnownField | undefined;
  /** Each group of tags needs a present tag: in each entry if `names` is set, or else here. */
  readonly needs: readonly (readonly string[])[];
  /** Only a warning now; a later version will report an error. */
  readonly soon: boolean;
  /** Returns undefined if the child is unknown. */
  child(tag: string): FieldPlace | undefined;
}

/**
 * Builds the places of a table on demand and caches them. A malformed table throws on first use.
 *
 * @param specified Rows for leaves that the table does not know.
 */
export function buildFields(table: FieldTable, specified?: FieldTable): FieldPlace {
  const own = new RowPlace(table, table.root, false);
  return specified === undefined ? own : new JoinedPlace(own, new RowPlace(specified, specified.root, false));
}

/** Returns the rules for the leaf at `path`, or for each member of the list at `path`. */
export function fieldAt(root: FieldPlace, path: Path): KnownField | undefined {
  return placeAt(root, path)?.field;
}

/** Returns the place at `path`, which starts at the root element. */
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

/** Rows of two tables. The rules of the first table have precedence. */
class JoinedPlace implements FieldPlace {
  readonly #first: FieldPlace | undefined;
  readonly #second: FieldPlace;
  readonly #made = new Map<string, FieldPlace>();

  constructor(first: FieldPlace | undefined, second: FieldPlace) {
    this.#first = first;
    this.#second = second;
  }

  get field(): KnownField | undefined {
    return this.#first?.field ?? this.#second.field;
  }

  get names(): KnownField | undefined {
    return this.#first?.names ?? this.#second.names;
  }

  get needs(): FieldPlace["needs"] {
    return this.#first?.needs ?? this.#second.needs;
  }

  get soon(): boolean {
    return this.#first?.soon ?? this.#second.soon;
  }

  child(tag: string): FieldPlace | undefined {
    if (tag === "entry" || tag === "member") return this;
    const made = this.#made.get(tag);
    if (made !== undefined) return made;
    const [first, second] = [this.#first?.child(tag), this.#second.child(tag)];
    if (second === undefined) return first;
    const place = new JoinedPlace(first, second);
    this.#made.set(tag, place);
    return place;
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
