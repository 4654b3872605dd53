import type { TreeNode } from "../core/tree/node.js";

/** Returns a function that generates unused names for temporary objects. */
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
