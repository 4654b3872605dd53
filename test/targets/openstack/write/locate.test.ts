import { describe, expect, it } from "vitest";
import type { Operation } from "../../../../src/core/operation.js";
import { find } from "../../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import { framed, locate } from "../../../../src/targets/openstack/write/locate.js";

const leaf = (tag: string, text: string) => new TreeNode(tag, undefined, text);
const entry = (name: string, ...children: TreeNode[]) => new TreeNode("entry", name, "", children);
const WEB = "/openstack/networks/entry[@name='web']";
const SUBNET = `${WEB}/subnets/entry[@name='a']`;

describe("the object of an operation", () => {
  it.each<[string, Operation, string, string, boolean]>([
    [
      "an entry",
      { action: "set", at: parsePath("/openstack/networks"), element: entry("web", leaf("mtu", "1400")) },
      "networks",
      WEB,
      true,
    ],
    ["a leaf of one", { action: "set", at: parsePath(WEB), element: leaf("mtu", "1400") }, "networks", WEB, false],
    [
      "an entry in the frame of its list",
      { action: "set", at: parsePath("/openstack"), element: new TreeNode("networks", undefined, "", [entry("web")]) },
      "networks",
      WEB,
      true,
    ],
    [
      "a subnet",
      { action: "set", at: parsePath(`${WEB}/subnets`), element: entry("a", leaf("cidr", "10.0.0.0/24")) },
      "subnets",
      SUBNET,
      true,
    ],
    ["a leaf of a subnet", { action: "delete", at: parsePath(`${SUBNET}/description`) }, "subnets", SUBNET, false],
    [
      "a rule",
      { action: "delete", at: parsePath("/openstack/security_groups/entry[@name='g']/rules/entry[@name='r']") },
      "security_groups",
      "/openstack/security_groups/entry[@name='g']",
      false,
    ],
    ["a replacement", { action: "edit", at: parsePath(SUBNET), element: entry("a") }, "subnets", SUBNET, true],
  ])("is found: %s", (_, operation, list, path, isWhole) => {
    const located = locate(operation);
    expect([located.list, located.path.toString(), located.element !== undefined]).toEqual([list, path, isWhole]);
  });

  it("must be one", () => {
    expect(() => locate({ action: "delete", at: parsePath("/openstack/networks") })).toThrow("no single object");
  });

  it("is alone in the tree to which the operation is applied", () => {
    const root = framed(parsePath(SUBNET), entry("a", leaf("cidr", "10.0.0.0/24")));
    expect(find(root, parsePath(`${SUBNET}/cidr`))?.text).toBe("10.0.0.0/24");
    expect(find(root, parsePath(WEB))?.children).toHaveLength(1);
  });
});
