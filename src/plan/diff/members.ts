import { canonicalScalar } from "../../core/tree/canonical.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import { isInherited } from "./inherited.js";

/** How two member lists differ. */
export interface MembersDifference {
  readonly missing: readonly DesiredNode[];
  /** Live members that must go, and why. */
  readonly extra: readonly { readonly node: TreeNode; readonly reason: "closed" | "excluded" }[];
  /** The same members in another order, where order has meaning. */
  readonly reordered: boolean;
}

const NONE: MembersDifference = { missing: [], extra: [], reordered: false };

/** Compares members as sets, or as sequences where the shape says that they are ordered. Ignored members are on neither side. */
export function compareMembers(desired: DesiredNode, live: TreeNode, shape: Shape): MembersDifference {
  if (desired.handling === undefined && sameSequence(desired, live)) return NONE;
  const { equality } = shape;
  const wanted = new Map<string, DesiredNode>();
  const ignored = new Set<string>();
  for (const child of desired.children) {
    const key = canonicalScalar(child.text, equality);
    if (child.handling?.ignored === true) ignored.add(key);
    else if (child.declared) wanted.set(key, child);
  }
  const excluded = new Set((desired.handling?.exclude ?? []).map((text) => canonicalScalar(text, equality)));
  const found = new Set<string>();
  const extra: { node: TreeNode; reason: "closed" | "excluded" }[] = [];
  for (const node of live.children) {
    const key = canonicalScalar(node.text, equality);
    if (ignored.has(key)) continue;
    if (wanted.has(key)) found.add(key);
    else if (isInherited(node)) continue;
    else if (excluded.has(key)) extra.push({ node, reason: "excluded" });
    else if (desired.prunes) extra.push({ node, reason: "closed" });
  }
  const missing = [...wanted].filter(([key]) => !found.has(key)).map(([, node]) => node);
  const reordered =
    shape.ordered && desired.prunes && [...wanted.keys()].filter((key) => found.has(key)).join("\n") !== [...found].join("\n");
  return { missing, extra, reordered };
}

function sameSequence(desired: DesiredNode, live: TreeNode): boolean {
  const { children } = live;
  if (desired.children.length !== children.length) return false;
  for (let i = 0; i < children.length; i += 1) {
    const wanted = desired.children[i];
    if (wanted === undefined || wanted.text !== children[i]?.text || wanted.handling !== undefined) return false;
  }
  return true;
}
