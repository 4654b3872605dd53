import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { listMeanings } from "../../src/plan/list-meaning.js";
import type { KindGuards, MeaningChange, PlannedOperation } from "../../src/plan/model.js";
import { addresses, changeOf, V1, vsys } from "../guards/support.js";
import { desired, planInput, tree } from "./support/planned.js";

const RULES = `${V1}/rules`;
const at = (name: string): string => `${RULES}/entry[@name='${name}']`;
const rules = (...names: string[]): string =>
  `<rules>${names.map((name) => `<entry name="${name}"><action>allow</action></entry>`).join("")}</rules>`;
const LIVE = tree(vsys(rules("r", "s") + addresses(["a"])));
const DELETE: PlannedOperation = { operation: { action: "delete", at: parsePath(at("r")) }, phase: "delete", changes: [0] };

/** Prints for each list its entries before and after. */
const names = (node: { children: readonly { name?: string | undefined }[] } | undefined): string =>
  node === undefined ? "none" : node.children.map(({ name }) => name).join("+");
const guards: KindGuards = {
  management: () => undefined,
  meaning: () => undefined,
  neverPruned: () => false,
  meaningOfList: (list, before, after) => [{ path: list.entry("s"), message: `${list}: ${names(before)} > ${names(after)}` }],
};

function told(
  changes: Parameters<typeof listMeanings>[0],
  {
    operations = [DELETE],
    found = [],
    kindGuards = guards,
  }: { operations?: PlannedOperation[]; found?: MeaningChange[]; kindGuards?: KindGuards } = {},
): string[] {
  const input = planInput(LIVE, desired(vsys("")), { kindGuards });
  return listMeanings(changes, operations, found, input).map(({ message }) => message);
}

describe("the meaning of an ordered list", () => {
  const node = (path: string) => find(LIVE, parsePath(path));
  const ONE = [`${RULES}: r+s > s`];

  it("is computed once for all changes in it, with old and new content", () => {
    expect(told([changeOf("extra", at("r"), { before: node(at("r")) }), changeOf("differs", `${at("s")}/action`)])).toEqual(ONE);
    expect(told([changeOf("order", RULES)])).toEqual(ONE);
    expect(told([changeOf("differs", RULES, { before: node(RULES), after: node(RULES) })])).toEqual(ONE);
  });

  it("is computed if a change adds or deletes the complete list or its container", () => {
    expect(told([changeOf("extra", V1, { before: node(V1) })])).toEqual(ONE);
    expect(told([changeOf("extra", "/config/vsys", { before: node("/config/vsys") })])).toEqual(ONE);
    expect(told([changeOf("missing", V1, { after: node(V1) })])).toEqual(ONE);
  });

  it("is not computed without operations, elsewhere, or for a kind without rules", () => {
    const change = changeOf("extra", at("r"), { before: node(at("r")) });
    const address = `${V1}/address/entry[@name='a']`;
    expect(told([change], { operations: [] })).toEqual([]);
    expect(told([changeOf("extra", address, { before: node(address) })])).toEqual([]);
    expect(told([])).toEqual([]);
    const { meaningOfList: _, ...silent } = guards;
    expect(told([change], { kindGuards: silent })).toEqual([]);
  });

  it("omits an entry that is reported already", () => {
    const change = changeOf("extra", at("r"), { before: node(at("r")) });
    expect(told([change], { found: [{ path: parsePath(at("s")), message: "known" }] })).toEqual([]);
    expect(told([change], { found: [{ path: parsePath(at("r")), message: "known" }] })).toEqual(ONE);
  });
});
