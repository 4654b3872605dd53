import type { Origin, OwnershipRow } from "../../plan/ownership-record.js";
import { isObject, stringOf } from "./fields.js";

type Rows = Readonly<Record<string, OwnershipRow>>;

/** Runs that rows name, each once: `[run, commit]`, the commit empty outside git. */
type Writers = readonly (readonly string[])[];

export interface EncodedRows {
  /** JSON of the rows, a line each, so that a git ref shows readable differences. */
  readonly text: string;
  readonly writers: Writers;
}

/** Rows of these paths, which are sorted. */
export function encodeRows(paths: readonly string[], rows: Rows): EncodedRows {
  const numbers = new Map<string, number>();
  const lines = paths.map((path) => {
    const { came, print, id, run, commit } = rows[path] ?? {};
    const by = run === undefined ? undefined : numberOf(numbers, JSON.stringify([run, commit ?? ""]));
    return `  ${JSON.stringify(path)}: ${JSON.stringify({ came, print, id, by })}`;
  });
  const text = lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n }`;
  return { text, writers: [...numbers.keys()].map((writer) => JSON.parse(writer) as string[]) };
}

function numberOf(numbers: Map<string, number>, writer: string): number {
  const known = numbers.get(writer);
  if (known !== undefined) return known;
  numbers.set(writer, numbers.size);
  return numbers.size - 1;
}

/**
 * Parses rows with content. A row names its run by number, as `encodeRows` writes it, or directly. @throws Error that names the field if it
 * has another type.
 */
export function rowsOf(value: unknown, writers: unknown): Rows {
  if (!isObject(value)) throw new Error("rows is not an object");
  const known = writersOf(writers);
  const rows = Object.entries(value).map(([path, row]) => [path, rowOf(row, known)] as const);
  return Object.fromEntries(rows.filter(([, row]) => Object.keys(row).length > 0));
}

function rowOf(value: unknown, writers: Writers): OwnershipRow {
  if (!isObject(value)) throw new Error("a row is not an object");
  const came = value.came === undefined ? undefined : originOf(stringOf(value, "came"));
  const print = value.print === undefined ? undefined : stringOf(value, "print");
  const id = value.id === undefined ? undefined : stringOf(value, "id");
  const by = value.by === undefined ? undefined : writers[Number(value.by)];
  if (by === undefined && value.by !== undefined) throw new Error("a row names no writer");
  const run = value.run === undefined ? by?.[0] : stringOf(value, "run");
  const commit = value.commit === undefined ? by?.[1] : stringOf(value, "commit");
  return {
    ...(came === undefined ? {} : { came }),
    ...(print === undefined ? {} : { print }),
    ...(id === undefined ? {} : { id }),
    ...(run === undefined ? {} : { run }),
    ...(commit === undefined || commit === "" ? {} : { commit }),
  };
}

function writersOf(value: unknown): Writers {
  if (!Array.isArray(value) || !value.every((each) => Array.isArray(each) && each.every((text) => typeof text === "string")))
    throw new Error("writers is not a list of runs");
  return value as string[][];
}

const ORIGINS: readonly string[] = ["made", "changed", "equal", "adopted", "unclear"] satisfies Origin[];

function originOf(text: string): Origin {
  if (!ORIGINS.includes(text)) throw new Error("a row has an unknown origin");
  return text as Origin;
}
