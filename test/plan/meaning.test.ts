import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import type { Path } from "../../src/core/tree/path.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { GuardContext } from "../../src/guards/context.js";
import { meaningChanges } from "../../src/plan/meaning.js";
import type { KindGuards } from "../../src/plan/model.js";
import { addresses, changeOf, V1, vsys } from "../guards/support.js";
import { desired, planInput, tree } from "./support/planned.js";

const LIST = `${V1}/address`;
const at = (name: string): string => `${LIST}/entry[@name='${name}']`;
const LIVE = tree(vsys(addresses(["a", "b"])));
const WANTED = desired(vsys(addresses(["a", "c"], () => "10.0.0.2"))).root;
const node = (path: string) => find(LIVE, parsePath(path));
const silent: KindGuards = { management: () => undefined, meaning: () => undefined, neverPruned: () => false };

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
