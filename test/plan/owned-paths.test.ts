import { describe, expect, it } from "vitest";
import { TreeNode } from "../../src/core/tree/node.js";
import { buildShape } from "../../src/core/tree/shape-table.js";
import { DesiredNode } from "../../src/desired/model.js";
import { ownedPaths } from "../../src/plan/owned-paths.js";

const shape = buildShape({
  root: { networks: { $: "list", leaf: "leaf", refs: { $: "list structural", subnets: { $: "list", leaf: "leaf" } } } },
  types: {},
});

function node(tag: string, name: string | undefined, closed: boolean, children: readonly DesiredNode[] = []): DesiredNode {
  return new DesiredNode(tag, name, "", children, { origin: 0, prunes: closed, declared: true });
}

describe("ledger rows", () => {
  const subnets = (closed: boolean): DesiredNode =>
    node("refs", undefined, true, [
      node("entry", "ipam", closed, [node("subnets", undefined, closed, [node("entry", "10.0.0.0/24", true)])]),
    ]);
  const owned = (closed: boolean): string[] => {
    const desired = node("root", undefined, false, [node("networks", undefined, false, [node("entry", "a", true, [subnets(closed)])])]);
    return ownedPaths(desired, new TreeNode("root"), shape, undefined, undefined);
  };

  it("contain a complete entry as one row", () => {
    expect(owned(true)).toEqual(["/root/networks/entry[@name='a']"]);
  });

  it("contain no text next to elements, because it has no path", () => {
    const text = new DesiredNode("#text", undefined, "x", [], { origin: 0, prunes: true, declared: true });
    const desired = node("root", undefined, false, [node("box", undefined, false, [text, node("leaf", undefined, true)])]);
    expect(ownedPaths(desired, new TreeNode("root"), shape, undefined, undefined)).toEqual(["/root/box/leaf"]);
  });

  it("include content of an open entry that other owners do not manage", () => {
    expect(owned(false)).toEqual([
      "/root/networks/entry[@name='a']",
      "/root/networks/entry[@name='a']/refs/entry[@name='ipam']/subnets/entry[@name='10.0.0.0/24']",
    ]);
  });
});
