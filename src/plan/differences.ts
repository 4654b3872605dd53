import { isNothing } from "../core/tree/canonical-children.js";
import { equalNodes } from "../core/tree/equal.js";
import { pathOf } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { counterpart } from "./counterpart.js";
import { isInherited } from "./diff/inherited.js";

/**
 * Where two trees that both stand at `path` do not mean the same, each at the lowest node that tells it: what only one of
 * them has, a leaf, or a list whose order differs. What a template or a manager gives is part of a candidate alone and is no
 * difference. Linear in the trees where they are nearly equal.
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
