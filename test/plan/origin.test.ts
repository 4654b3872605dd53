import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../src/desired/model.js";
import { originAt } from "../../src/plan/origin.js";

function node(tag: string, origin: number, children: readonly DesiredNode[] = [], name?: string): DesiredNode {
  return new DesiredNode(tag, name, "", children, { origin, prunes: false, declared: true });
}

describe("the position of a refusal", () => {
  const entry = node("entry", 0, [node("ip", 7), node("tag", -1)], "a");
  const root = node("config", 3, [node("shared", -1, [node("address", -1, [entry])])]);
  const at = (path: string | undefined): number => originAt(path === undefined ? undefined : parsePath(path), root);
  const A = "/config/shared/address/entry[@name='a']";

  it("is the innermost declared node at or above its path", () => {
    expect([at(`${A}/ip`), at(A), at(`${A}/tag`), at(`${A}/other/deep`)]).toEqual([7, 0, 0, 0]);
    expect([at("/config/shared/address"), at("/config/vsys/ip"), at("/config"), at(undefined)]).toEqual([3, 3, 3, 3]);
  });

  it("is absent for an entry that no document declares", () => {
    const other = A.replace("'a'", "'manual'");
    expect([at(other), at(`${other}/ip`)]).toEqual([-1, -1]);
  });

  it("is absent if no file declares such a node", () => {
    expect(originAt(parsePath("/config/shared"), node("config", -1, [node("shared", -1)]))).toBe(-1);
  });
});
