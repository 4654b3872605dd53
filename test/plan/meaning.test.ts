import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import type { Path } from "../../src/core/tree/path.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { allowancesOf, type GuardContext } from "../../src/guards/registry.js";
import { meaningChanges, refuseLockOut } from "../../src/plan/meaning.js";
import type { KindGuards, PlanInput, PlannedOperation } from "../../src/plan/model.js";
import { desired, planInput, tree } from "./support/planned.js";
import { addresses, changeOf, contextOf, V1, vsys } from "../guards/support.js";

const LIST = `${V1}/address`;
const at = (name: string): string => `${LIST}/entry[@name='${name}']`;
const LIVE = tree(vsys(addresses(["a", "b"])));
const WANTED = desired(vsys(addresses(["a", "c"], () => "10.0.0.2"))).root;
const node = (path: string) => find(LIVE, parsePath(path));
const silent: KindGuards = { management: () => undefined, meaning: () => undefined, neverPruned: () => false };

describe("changes that can lock Plumbline out", () => {
  const danger = (...names: string[]): KindGuards => ({
    ...silent,
    management: ({ name }) => (names.includes(name ?? "") ? `this is ${name}` : undefined),
  });
  const refused = (changes: GuardContext["changes"], kindGuards: KindGuards): string[] =>
    refuseLockOut(contextOf({ changes }, { kindGuards })).map(({ path, message, allow }) => `${path} ${message} ${allow}`);
  const refusalOfB = [`${at("b")} This can lock Plumbline out: this is b --allow management`];

  it("are found in the old and the new content, the first one", () => {
    const after = find(WANTED, parsePath(LIST));
    expect(refused([changeOf("extra", LIST, { before: node(LIST) })], danger("b"))).toEqual(refusalOfB);
    expect(refused([changeOf("differs", LIST, { before: node(LIST), after })], danger("b", "c"))).toEqual(refusalOfB);
    expect(refused([changeOf("missing", LIST, { after })], danger("c"))).toHaveLength(1);
    expect(refused([changeOf("extra", LIST, { before: node(LIST) }), changeOf("missing", at("b"))], danger("a", "b"))).toHaveLength(2);
  });

  it("do not include the order of a list, or nodes elsewhere", () => {
    expect(refused([changeOf("order", at("b"), { before: ["b"], after: ["b"], moved: [] })], danger("b"))).toEqual([]);
    expect(refused([changeOf("extra", LIST, { before: node(LIST) })], danger("z"))).toEqual([]);
  });
});

describe("the path to the device", () => {
  const DELETE: PlannedOperation = { operation: { action: "delete", at: parsePath(at("b")) }, phase: "delete", changes: [0] };
  const words = (tree: PlanInput["candidate"]) => (find(tree, parsePath(LIST))?.children ?? []).map(({ name }) => name).join("+");
  const ownPath: KindGuards["ownPath"] = {
    reads: () => [],
    cut: (addresses, before, after) => [{ path: parsePath(LIST), words: `${addresses} ${words(before)} > ${words(after)}` }],
  };
  const told = (context: Partial<GuardContext>, more: Partial<PlanInput> = {}): string[] =>
    refuseLockOut(
      contextOf(
        { operations: [DELETE], ...context },
        { candidate: LIVE, kindGuards: { ...silent, ownPath }, reachedAt: ["192.0.2.1"], ...more },
      ),
    ).map(({ guard, path, message, allow }) => `${guard} ${path} ${message} ${allow}`);

  it("is compared before and after", () => {
    expect(told({})).toEqual([`management ${LIST} This can lock Plumbline out: 192.0.2.1 a+b > a --allow management`]);
  });

  it("is not checked without operations, without a known order, without an address, or if overridden", () => {
    expect(told({ operations: [] })).toEqual([]);
    expect(told({ knots: [{ paths: [], names: [] }] })).toEqual([]);
    expect(told({}, { reachedAt: [] })).toEqual([]);
    expect(told({}, { reachedAt: undefined })).toEqual([]);
    expect(told({}, { kindGuards: silent })).toEqual([]);
    expect(told({ allow: allowancesOf(new Map([["management", ""]])) })).toEqual([]);
  });
});

describe("the meaning of changes", () => {
  const asked = (changes: GuardContext["changes"], only?: (path: Path) => boolean): string[] => {
    const meaning: KindGuards["meaning"] = (path, live, wanted) =>
      only === undefined || only(path) ? `${live?.name ?? live?.tag} > ${wanted?.name ?? wanted?.tag}` : undefined;
    const input = planInput(LIVE, desired("<config/>"), { kindGuards: { ...silent, meaning } });
    return meaningChanges(changes, WANTED, input).map(({ path, message }) => `${path} ${message}`);
  };

  it("is computed once for the entry that contains a change", () => {
    const inside = [changeOf("differs", `${at("a")}/ip`, { before: node(`${at("a")}/ip`) }), changeOf("missing", `${at("a")}/tag`)];
    expect(asked(inside)).toEqual([`${at("a")} a > a`]);
    expect(asked([changeOf("extra", at("b"), { before: node(at("b")) })])).toEqual([`${at("b")} b > undefined`]);
    expect(asked([changeOf("missing", at("c"), { after: find(WANTED, parsePath(at("c"))) })])).toEqual([`${at("c")} undefined > c`]);
  });

  it("is computed for a renamed entry under its former name only", () => {
    expect(asked([changeOf("renamed", at("c"), { from: "b", to: "c", after: find(WANTED, parsePath(at("c"))) })])).toEqual([
      `${at("c")} b > c`,
    ]);
    expect(asked([changeOf("differs", at("c"), { from: "b", before: node(at("b")) })])).toEqual([`${at("c")} undefined > c`]);
  });

  it("is computed for every entry of an added, deleted or changed list or container, also below frames", () => {
    const list = node(LIST);
    const after = find(WANTED, parsePath(LIST));
    expect(asked([changeOf("extra", LIST, { before: list })])).toEqual([`${at("a")} a > a`, `${at("b")} b > undefined`]);
    expect(asked([changeOf("differs", LIST, { before: list, after })])).toEqual([`${at("a")} a > a`, `${at("b")} b > undefined`]);
    expect(asked([changeOf("missing", LIST, { after })])).toEqual([`${at("a")} a > a`, `${at("c")} undefined > c`]);
    expect(asked([changeOf("extra", "/config/vsys", { before: node("/config/vsys") })])).toEqual([
      `${at("a")} a > a`,
      `${at("b")} b > undefined`,
    ]);
  });

  it("is computed for the changed node itself if it contains no entry", () => {
    expect(asked([changeOf("missing", "/config/note")])).toEqual(["/config/note undefined > undefined"]);
    expect(asked([changeOf("extra", "/config/note", { before: tree("<note><deep><leaf>x</leaf></deep></note>") })])).toHaveLength(1);
  });

  it("is empty for an order, and for a kind without rules", () => {
    expect(asked([changeOf("order", LIST)])).toEqual([]);
    expect(asked([changeOf("extra", LIST, { before: node(LIST) })], ({ name }) => name === "b")).toEqual([`${at("b")} b > undefined`]);
  });
});
