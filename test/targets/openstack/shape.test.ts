import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Shape } from "../../../src/core/tree/shape.js";
import { openstackShape } from "../../../src/targets/openstack/shape.js";

/** What becomes of a field that is changed, in the order of the table's columns. */
type Fate = "in place" | "resize" | "rebuild" | "replacement" | "create alone" | "read only";
const FATES: readonly Fate[] = ["in place", "resize", "rebuild", "replacement", "create alone", "read only"];

function fateOf(shape: Shape): Fate {
  if (shape.readOnly === true) return "read only";
  if (shape.createOnly === true && shape.immutable !== true && shape.losing === undefined) return "create alone";
  if (shape.interrupts !== undefined) return shape.interrupts as Fate;
  if (shape.rebuilt === true) return "rebuild";
  return shape.immutable === true ? "replacement" : "in place";
}

/** Lists whose entries are objects that we make, by their name; those that lie in others are found there. */
function objectLists(shape: Shape): (readonly [string, Shape])[] {
  return shape.knownTags.flatMap((tag) => {
    const child = shape.child(tag);
    if (child.kind !== "list" || child.readOnly === true || child.child("entry").knownTags.every((each) => each !== "owner")) return [];
    return [[tag, child.child("entry")] as const, ...objectLists(child.child("entry"))];
  });
}

const page = readFileSync("docs/desired-state.md", "utf8");
const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** What the sentence above the table says of every kind. */
const everywhere = namesIn(/^Read only everywhere: (.*)$/m.exec(page)?.[1] ?? "");

const isField = (shape: Shape): boolean =>
  shape.mark !== true && !(shape.kind === "list" && shape.child("entry").knownTags.includes("owner"));

/** The rows of the table that begin with a kind of object, by kind: fields by column. */
const told = new Map(
  [...page.matchAll(/^\| `([a-z_]+)` \|(.*)\|$/gm)].map(([, kind = "", cells = ""]) => [kind, cells.split("|").map(namesIn)]),
);

describe("the table of fields in docs/desired-state.md", () => {
  it.each(objectLists(openstackShape()))("says of %s what becomes of each field", (kind, entry) => {
    const fields = entry.knownTags.filter((tag) => isField(entry.child(tag)) && !everywhere.includes(tag));
    const row = told.get(kind)?.map((names) => names.toSorted());
    expect(row).toEqual(FATES.map((fate) => fields.filter((tag) => fateOf(entry.child(tag)) === fate).sort()));
    expect(everywhere.filter((tag) => entry.knownTags.includes(tag) && entry.child(tag).readOnly !== true)).toEqual([]);
  });
});
