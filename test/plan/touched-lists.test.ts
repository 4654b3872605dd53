import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { Change } from "../../src/plan/diff/change.js";
import { deletedEntries, touchedLists } from "../../src/plan/touched-lists.js";
import { addresses, changeOf, numbered, V1, vsys } from "../guards/support.js";
import { tree } from "./support/planned.js";

const LIST = `${V1}/address`;
const at = (name: string): string => `${LIST}/entry[@name='${name}']`;
const GROUP = `${V1}/group/entry[@name='g']`;
const group = (members: readonly string[]): string =>
  `<group><entry name="g"><static>${members.map((name) => `<member>${name}</member>`).join("")}</static></entry></group>`;
const LIVE = tree(vsys(addresses(numbered(4)) + group(["a0", "a1", "a2"])));

function nodeAt(root: TreeNode, path: string): TreeNode {
  const node = find(root, parsePath(path));
  if (node === undefined) throw new Error(`${path} is not there`);
  return node;
}
const extra = (path: string): Change => changeOf("extra", path, { before: nodeAt(LIVE, path), reason: "ledger" });
const told = (changes: readonly Change[], live = LIVE, isTheirs?: (entry: TreeNode) => boolean) =>
  touchedLists(changes, live, isTheirs).map(({ path, live, ofEntries, changed, deleted, created }) => ({
    path: path.toString(),
    live,
    ofEntries,
    changed: [...changed],
    deleted: [...deleted],
    created,
  }));
const listOf = (changes: readonly Change[], path: string) => told(changes).filter((list) => list.path === path);

describe("a recreated entry", () => {
  it("counts once in its list, and empties no list", () => {
    const live = tree(vsys(addresses(numbered(2))));
    const path = parsePath(at("a0"));
    const before = find(live, path);
    const after = find(tree(vsys(addresses(["a0"], () => "10.0.0.2"))), path);
    const replaced = { kind: "differs", path, before, after } as Change;
    const lists = touchedLists([replaced], live).map(({ path, live, deleted, created }) => [path.toString(), live, [...deleted], created]);
    expect(lists).toContainEqual([LIST, 2, ["a0"], 1]);
    expect(lists.filter(([path]) => String(path).startsWith(`${LIST}/`))).toEqual([]);
  });
});

describe("counting changes of lists", () => {
  it("counts a creation, a deletion and a nested change, also for surrounding lists, and no declared rename", () => {
    const changes = [
      changeOf("missing", at("new")),
      extra(at("a0")),
      changeOf("differs", `${at("a1")}/ip`, { before: nodeAt(LIVE, `${at("a1")}/ip`), after: nodeAt(LIVE, `${at("a1")}/ip`) }),
      changeOf("renamed", at("b2"), { from: "a2", to: "b2" }),
      changeOf("order", LIST),
    ];
    expect(told(changes)).toEqual([
      { path: LIST, live: 4, ofEntries: true, changed: ["a1"], deleted: ["a0"], created: 1 },
      { path: "/config/vsys", live: 1, ofEntries: true, changed: ["v1"], deleted: [], created: 0 },
    ]);
  });

  it("does not count an order", () => {
    expect(told([changeOf("order", LIST), changeOf("order", at("a0"))])).toEqual([]);
  });

  it("counts each of several deletions and creations in one list", () => {
    expect(listOf([extra(at("a0")), extra(at("a1")), changeOf("missing", at("x")), changeOf("missing", at("y"))], LIST)).toMatchObject([
      { deleted: ["a0", "a1"], created: 2 },
    ]);
    expect(listOf([changeOf("missing", `${at("a1")}/tag`)], LIST)).toMatchObject([{ changed: ["a1"], created: 0 }]);
  });

  it("counts all entries of a deleted list or container", () => {
    expect(listOf([extra(LIST)], LIST)).toMatchObject([{ deleted: numbered(4), created: 0 }]);
    const lists = told([extra(GROUP), extra(`${V1}/group`)]);
    expect(lists.filter(({ path }) => path.startsWith(`${V1}/group`))).toMatchObject([{ path: `${V1}/group`, deleted: ["g"] }]);
    expect(told([extra("/config/vsys")])).toMatchObject([{ path: "/config/vsys", deleted: ["v1"] }]);
    const shared = tree(`<config><shared>${addresses(["a"])}${group(["a"])}<note>text</note></shared></config>`);
    const whole = changeOf("extra", "/config/shared", { before: nodeAt(shared, "/config/shared"), reason: "ledger" });
    expect(told([whole], shared)).toMatchObject([
      { path: "/config/shared/address", deleted: ["a"] },
      { path: "/config/shared/group", deleted: ["g"] },
    ]);
  });

  it("counts deleted members: one, all of a deleted list, or those that are not kept", () => {
    const members = `${GROUP}/static`;
    const one = changeOf("extra", `${members}/member[text()='a1']`, { before: nodeAt(LIVE, members).children[1], reason: "ledger" });
    expect(listOf([one], members)).toMatchObject([{ ofEntries: false, live: 3, deleted: ["a1"] }]);
    expect(listOf([extra(members)], members)).toMatchObject([{ ofEntries: false, live: 3, deleted: ["a0", "a1", "a2"] }]);
    const after = nodeAt(tree(vsys(group(["a1", "new"]))), members);
    const fewer = changeOf("differs", members, { before: nodeAt(LIVE, members), after });
    expect(listOf([fewer], members)).toMatchObject([{ ofEntries: false, live: 3, deleted: ["a0", "a2"] }]);
    const same = changeOf("differs", members, { before: nodeAt(LIVE, members), after: nodeAt(LIVE, members) });
    expect(listOf([same], members)).toEqual([]);
  });

  it("counts deleted entries without content, and no list for a leaf", () => {
    const tags = tree(vsys('<tag><entry name="t"/></tag>'));
    const whole = changeOf("extra", `${V1}/tag`, { before: nodeAt(tags, `${V1}/tag`), reason: "ledger" });
    expect(told([whole], tags).find(({ path }) => path === `${V1}/tag`)?.deleted).toEqual(["t"]);
    expect(told([changeOf("missing", `${at("a1")}/tag`)]).map(({ path }) => path)).toEqual([LIST, "/config/vsys"]);
  });

  it("ignores entries of other owners that stay", () => {
    const isTheirs = (entry: TreeNode): boolean => entry.name !== "a3";
    expect(told([extra(at("a0"))], LIVE, isTheirs).find(({ path }) => path === LIST)?.live).toBe(2);
    const change = changeOf("differs", `${at("a1")}/ip`, { before: nodeAt(LIVE, `${at("a1")}/ip`), after: nodeAt(LIVE, `${at("a1")}/ip`) });
    expect(told([change], LIVE, isTheirs).find(({ path }) => path === LIST)?.live).toBe(2);
    expect(told([changeOf("missing", at("x"))], tree("<config/>"))).toMatchObject([{ live: 0 }, { live: 0 }]);
  });
});

describe("deleted entries", () => {
  const paths = (changes: readonly Change[]): string[] => deletedEntries(changes).map(String);

  it("include those of a deleted list or container, and no members", () => {
    expect(paths([extra(at("a0")), changeOf("missing", at("x"))])).toEqual([at("a0")]);
    expect(paths([extra(LIST)])).toEqual(numbered(4).map(at));
    expect(paths([extra(GROUP)])).toEqual([GROUP]);
    expect(paths([extra(`${GROUP}/static`)])).toEqual([]);
    const shared = tree(`<config><shared>${addresses(["a"])}${group(["a"])}</shared></config>`);
    expect(paths([changeOf("extra", "/config/shared", { before: nodeAt(shared, "/config/shared"), reason: "ledger" })])).toEqual([
      "/config/shared/address/entry[@name='a']",
      "/config/shared/group/entry[@name='g']",
    ]);
  });
});
