import { childAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Attribution } from "../../../plan/diff/change.js";

/** The `admin` and `time` attributes of a node, where it has them (specification, "Configuration elements"). */
export function markOf(node: TreeNode): Attribution | undefined {
  const admin = node.attributes?.get("admin");
  return admin === undefined || admin === "" ? undefined : { admin, time: node.attributes?.get("time") };
}

/**
 * Who last touched `path` by the marks in `tree`: the node's own, else the latest below it, else that of the nearest
 * ancestor, which also bears the mark of a deletion.
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

/** The nodes on the way to `path` that are there, from the root down. */
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
