import type { TreeNode } from "../core/tree/node.js";

/** Gives names that nothing in a tree has, each once, for what is there for a moment. */
export function temporaryNames(live: TreeNode): () => string {
  let taken: Set<string> | undefined;
  let count = 0;
  return () => {
    taken ??= namesBelow(live, new Set());
    do count += 1;
    while (taken.has(`plumbline-${count}`));
    return `plumbline-${count}`;
  };
}

function namesBelow(node: TreeNode, names: Set<string>): Set<string> {
  if (node.name?.startsWith("plumbline-") === true) names.add(node.name);
  for (const child of node.children) namesBelow(child, names);
  return names;
}
