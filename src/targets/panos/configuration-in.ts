import type { TreeNode } from "../../core/tree/node.js";

/** Finds the configuration in an export. An exported file is a bare `<config>`; replies to `show` and `get` wrap it. */
export function configurationIn(root: TreeNode): TreeNode | undefined {
  if (root.tag === "config") return root;
  const result = root.tag === "response" ? root.children.find((child) => child.tag === "result") : undefined;
  return result?.children.find((child) => child.tag === "config");
}
