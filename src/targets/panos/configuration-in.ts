import type { TreeNode } from "../../core/tree/node.js";

/** The configuration in what was exported: it is a bare `<config>`, and wrapped in a reply as `show` and `get` answer it. */
export function configurationIn(root: TreeNode): TreeNode | undefined {
  if (root.tag === "config") return root;
  const result = root.tag === "response" ? root.children.find((child) => child.tag === "result") : undefined;
  return result?.children.find((child) => child.tag === "config");
}
