import { canonicalScalar } from "../../core/tree/canonical.js";
import { isNothing } from "../../core/tree/canonical-children.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";

/** Whether two texts of a leaf or member mean the same. */
export function sameText(a: string, b: string, equality: Shape["equality"]): boolean {
  return a === b || canonicalScalar(a, equality) === canonicalScalar(b, equality);
}

/** True for a wanted node that says no more than its absence, or is ignored; secrets, `${keep}` and entries always say something. */
export function wantsNothing(node: DesiredNode, shape: Shape): boolean {
  const { handling } = node;
  if (handling?.ignored === true) return true;
  if (handling?.keep === true || handling?.secret !== undefined || handling?.unresolved !== undefined || node.name !== undefined)
    return false;
  if (node.children.length === 0) return handling?.exclude !== undefined || isNothing(node, shape);
  if (node.children.every(holdsOnlyIgnored)) return true;
  return shape.emptyIsAbsent && node.children.every((child) => wantsNothing(child, shape.child(child.tag)));
}

/** True for an ignored node, and for a frame of nothing else. */
function holdsOnlyIgnored(node: DesiredNode): boolean {
  const { handling, children, name } = node;
  if (handling?.ignored === true) return true;
  if (handling?.keep === true || name !== undefined) return false;
  return children.length === 0 ? handling?.exclude !== undefined : children.every(holdsOnlyIgnored);
}
