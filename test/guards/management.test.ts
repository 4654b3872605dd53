import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { allowancesOf } from "../../src/guards/allow.js";
import type { GuardContext } from "../../src/guards/context.js";
import { refuseLockOut } from "../../src/guards/management.js";
import type { KindGuards, PlanInput, PlannedOperation } from "../../src/plan/model.js";
import { desired, tree } from "../plan/support/planned.js";
import { addresses, changeOf, contextOf, V1, vsys } from "./support.js";

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
