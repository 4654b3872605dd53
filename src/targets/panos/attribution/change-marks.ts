import { childAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Attribution } from "../../../plan/diff/change.js";

/** Returns the `admin` and `time` attributes of a node, if it has them (specification, "Configuration elements"). */
export function markOf(node: TreeNode): Attribution | undefined {
  const admin = node.attributes?.get("admin");
  return admin === undefined || admin === "" ? undefined : { admin, time: node.attributes?.get("time") };
}

/**
 * Finds the last author of `path` by the marks in `tree`: its own mark, otherwise the latest mark below it, otherwise that of the nearest
 * ancestor, which also records deletions.
 */
export function attributeByMarks(tree: TreeNode, path: Path): Attribution | undefined {
  const chain = nodesTowards(tree, path);
  const last = chain.at(-1);
  if (last === undefined) return undefined;
  if (chain.length === path.depth) {
    const own = markOf(last) ?? latestBelow(last);
    if (own !== undefined) return own;
  }
  for (const node of chain.reverse()) {
    const mark = markOf(node);
    if (mark !== undefined) return mark;
  }
  return undefined;
}

/** Returns the existing nodes on the path, from the root down. */
function nodesTowards(tree: TreeNode, path: Path): TreeNode[] {
  const [first, ...rest] = path.steps();
  if (first === undefined || first.tag !== tree.tag) return [];
  const chain = [tree];
  for (const step of rest) {
    const next = childAt(chain.at(-1) as TreeNode, step);
    if (next === undefined) break;
    chain.push(next);
  }
  return chain;
}

function latestBelow(node: TreeNode): Attribution | undefined {
  let latest: Attribution | undefined;
  for (const child of node.children) {
    for (const mark of [markOf(child), latestBelow(child)]) {
      if (mark !== undefined && (latest === undefined || (mark.time ?? "") > (latest.time ?? ""))) latest = mark;
    }
  }
  return latest;
}
