import { isNothing } from "../core/tree/canonical-children.js";
import { equalNodes } from "../core/tree/equal.js";
import { pathOf } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { counterpart } from "./counterpart.js";
import { isInherited } from "./diff/inherited.js";

/**
 * Returns the paths at which two trees at `path` differ, each at the lowest node: a node in only one of them, a leaf, or a list with
 * another order. Nodes from a template or manager are only in the candidate and do not count. Linear in the trees if they are nearly equal.
 */
export function differences(a: TreeNode, b: TreeNode, shape: Shape, path: Path): Path[] {
  if (equalNodes(a, b, shape)) return [];
  if (a.children.length === 0 && b.children.length === 0) return [path];
  const found: Path[] = [];
  const common: TreeNode[] = [];
  for (const child of a.children) {
    const other = counterpart(b, child);
    if (other === undefined) found.push(...alone(child, shape, path));
    else {
      common.push(child);
      found.push(...differences(child, other, shape.child(child.tag), pathOf(path, child)));
    }
  }
  const others = b.children.filter((child) => {
    if (counterpart(a, child) !== undefined) return true;
    found.push(...alone(child, shape, path));
    return false;
  });
  if (found.length > 0) return found;
  return equalNodes(withChildren(a, common), withChildren(b, others), shape) ? [] : [path];
}

function alone(child: TreeNode, above: Shape, path: Path): Path[] {
  return isInherited(child) || isNothing(child, above.child(child.tag)) ? [] : [pathOf(path, child)];
}

function withChildren({ tag, name, text, attributes }: TreeNode, children: TreeNode[]): TreeNode {
  return new TreeNode(tag, name, text, children, attributes);
}
