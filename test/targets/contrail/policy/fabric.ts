import type { JsonObject } from "../../../../src/core/json/value.js";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { objectShape } from "../../../../src/targets/contrail/collections.js";
import { decodeObject } from "../../../../src/targets/contrail/object-tree.js";
import type { RawFabric } from "./brute.js";

/** The tree of a controller with these objects, as its reader makes it. */
export function treeOf({ networks, policies }: RawFabric, more: Readonly<Record<string, readonly object[]>> = {}): TreeNode {
  const lists: Readonly<Record<string, readonly object[]>> = { "network-policys": policies, "virtual-networks": networks, ...more };
  return new TreeNode(
    "contrail",
    undefined,
    "",
    Object.entries(lists).map(([list, all]) => {
      const shape = objectShape(list);
      return new TreeNode(
        list,
        undefined,
        "",
        all.map((each) => decodeObject(each as JsonObject, shape)),
      );
    }),
  );
}
