import { readFileSync } from "node:fs";
import type { Shape } from "../../src/core/tree/shape.js";

const page = readFileSync("docs/clouds.md", "utf8");

/** The texts in backquotes, in order. */
const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** The names of a line of docs/clouds.md that begins so. */
export const namesAfter = (words: string): string[] => namesIn(page.split("\n").find((line) => line.startsWith(words)) ?? "");

/** The rows of its tables that begin with a kind of object, by kind: fields by column. */
const told = new Map(
  [...page.matchAll(/^\| `([a-z_-]+)` \|(.*)\|$/gm)].map(([, kind = "", cells = ""]) => [kind, cells.split("|").map(namesIn)]),
);

export const rowOf = (kind: string): string[][] | undefined => told.get(kind)?.map((names) => names.toSorted());

/** Lists whose entries are managed objects, by name; nested lists are found in their parents. */
export function objectLists(shape: Shape): (readonly [string, Shape])[] {
  return shape.knownTags.flatMap((tag) => {
    const child = shape.child(tag);
    if (child.kind !== "list" || child.readOnly === true || child.child("entry").knownTags.every((each) => each !== "owner")) return [];
    return [[tag, child.child("entry")] as const, ...objectLists(child.child("entry"))];
  });
}

/** Fields that are neither a mark of Plumbline nor a list of further objects. */
export function fieldsOf(entry: Shape): string[] {
  const isOfObjects = (shape: Shape) => shape.kind === "list" && shape.child("entry").knownTags.includes("owner");
  return entry.knownTags.filter((tag) => entry.child(tag).mark !== true && !isOfObjects(entry.child(tag)));
}
