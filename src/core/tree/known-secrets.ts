import { SecretValue } from "../secret.js";
import { childAt } from "./lookup.js";
import { SecretLeaf, TreeNode } from "./node.js";
import type { Path } from "./path.js";
import { STORED_SECRET } from "./stored-secrets.js";

/** Paths as a tree of steps. */
interface Steps {
  readonly step: Path;
  readonly below: Map<string, Steps>;
}

/**
 * Returns the tree with a `SecretLeaf` for each leaf at one of `paths`. These leaves are known to be secrets, although neither shape nor
 * text shows it. The original tree is unchanged; the result shares all other nodes with it.
 */
export function withSecretsAt(root: TreeNode, paths: Iterable<Path>): TreeNode {
  const all = new Map<string, Steps>();
  for (const path of paths) {
    let level = all;
    for (const step of path.steps()) {
      const key = JSON.stringify([step.tag, step.name, step.text]);
      const known = level.get(key) ?? { step, below: new Map() };
      level.set(key, known);
      level = known.below;
    }
  }
  const top = [...all.values()].find(({ step }) => step.tag === root.tag);
  return top === undefined ? root : hidden(root, top);
}

function hidden(node: TreeNode, { below }: Steps): TreeNode {
  if (below.size === 0) return leafOf(node);
  const instead = new Map<TreeNode, TreeNode>();
  for (const inner of below.values()) {
    const child = childAt(node, inner.step);
    const replacement = child === undefined ? undefined : hidden(child, inner);
    if (child !== undefined && replacement !== undefined && replacement !== child) instead.set(child, replacement);
  }
  if (instead.size === 0) return node;
  const children = node.children.map((child) => instead.get(child) ?? child);
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}

function leafOf(node: TreeNode): TreeNode {
  const holds = node.text !== "" && node.children.length === 0 && !(node instanceof SecretLeaf);
  return holds ? new SecretLeaf(node.tag, new SecretValue(node.text, STORED_SECRET), node.attributes) : node;
}
