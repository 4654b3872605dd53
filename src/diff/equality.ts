import { isIPv4, SocketAddress } from "node:net";
import type { DesiredNode } from "../desired/model.js";
import type { TreeNode } from "../tree/node.js";
import type { Shape } from "../tree/shape.js";

/** Whether two texts of a leaf or member mean the same. */
export function sameText(a: string, b: string, equality: Shape["equality"]): boolean {
  return a === b || (equality !== "exact" && canonicalText(a, equality) === canonicalText(b, equality));
}

/** The text that all equal texts share. */
export function canonicalText(text: string, equality: Shape["equality"]): string {
  if (equality === "exact") return text;
  return equality === "caseless" ? text.toLowerCase() : canonicalCidr(text);
}

/** Host bits stay: `10.0.0.1/24` on an interface is not `10.0.0.0/24`. */
function canonicalCidr(text: string): string {
  const slash = text.indexOf("/");
  const address = slash === -1 ? text : text.slice(0, slash);
  const length = slash === -1 ? "" : text.slice(slash + 1);
  if (slash !== -1 && !/^\d{1,3}$/.test(length)) return text;
  if (isIPv4(address)) return `${address}/${slash === -1 ? 32 : Number(length)}`;
  try {
    return `${new SocketAddress({ address, family: "ipv6" }).address}/${slash === -1 ? 128 : Number(length)}`;
  } catch {
    return text;
  }
}

/** True for a node that says no more than its absence: an empty list, a leaf that has its default, and frames of nothing else. */
export function saysNothing(node: TreeNode, shape: Shape): boolean {
  if (node.name !== undefined) return false;
  if (node.children.length === 0 && shape.default !== undefined && sameText(node.text, shape.default, shape.equality)) return true;
  if (!shape.emptyIsAbsent || node.text !== "") return false;
  for (const child of node.children) if (!saysNothing(child, shape.child(child.tag))) return false;
  return true;
}

/** As `saysNothing`, of what is wanted: ignored nodes say nothing either, secrets and `${keep}` always do. */
export function wantsNothing(node: DesiredNode, shape: Shape): boolean {
  const { directive } = node;
  if (directive?.ignored === true) return true;
  if (directive?.keep === true || directive?.secret !== undefined || directive?.unresolved !== undefined || node.name !== undefined)
    return false;
  if (directive?.exclude !== undefined && node.children.length === 0) return true;
  if (node.children.length === 0) return saysNothing(node, shape);
  if (!shape.emptyIsAbsent) return false;
  for (const child of node.children) if (!wantsNothing(child, shape.child(child.tag))) return false;
  return true;
}
