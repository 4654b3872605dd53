import { canonicalScalar } from "../../core/tree/canonical.js";
import { isNothing } from "../../core/tree/canonical-children.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";

/** Returns whether two texts of a leaf or member are equivalent. */
export function sameText(a: string, b: string, equality: Shape["equality"]): boolean {
  return a === b || canonicalScalar(a, equality) === canonicalScalar(b, equality);
}

/** Returns whether a desired node is equivalent to its absence, or is ignored. Never true for secrets, `${keep}` and entries. */
export function wantsNothing(node: DesiredNode, shape: Shape): boolean {
  const { handling } = node;
  if (handling?.ignored === true) return true;
  if (handling?.keep === true || handling?.secret !== undefined || handling?.unresolved !== undefined || node.name !== undefined)
    return false;
  if (node.children.length === 0) return handling?.exclude !== undefined || isNothing(node, shape);
  if (node.children.every(holdsOnlyIgnored)) return true;
  return shape.emptyIsAbsent && node.children.every((child) => wantsNothing(child, shape.child(child.tag)));
}

/** Returns whether a node is ignored, or is a container of ignored nodes only. */
function holdsOnlyIgnored(node: DesiredNode): boolean {
  const { handling, children, name } = node;
  if (handling?.ignored === true) return true;
  if (handling?.keep === true || name !== undefined) return false;
  return children.length === 0 ? handling?.exclude !== undefined : children.every(holdsOnlyIgnored);
}
