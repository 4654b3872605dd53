import { canonicalScalar } from "../../core/tree/canonical-text.js";
import type { Shape } from "../../core/tree/shape.js";
import { DesiredNode } from "../../desired/model.js";
import { canonicalRule } from "./canonical-rule.js";
import { mapChildren } from "./map-children.js";
import { openstackShape } from "./shape.js";

/**
 * Returns the documents' root with every address, prefix, MAC address, public key and security group rule in the spelling that the
 * services compare. A file with a public key ends with a newline, which belongs to no key. Neutron stores a router route whose nexthop has another spelling, does not find it again, and retries for minutes.
 */
export function canonicalDocument(root: DesiredNode): DesiredNode {
  return canonicalNode(root, openstackShape());
}

function canonicalNode(node: DesiredNode, shape: Shape): DesiredNode {
  if (node.children.length === 0) return canonicalLeaf(node, shape);
  const mapped = mapChildren(node, (child) => canonicalNode(child, shape.child(child.tag)));
  return shape.key?.includes("protocol") === true ? mapChildren(mapped, canonicalRule) : mapped;
}

function canonicalLeaf(node: DesiredNode, { equality }: Shape): DesiredNode {
  if (node.tag === "public_key" && node.handling === undefined) return withText(node, node.text.trim());
  if (node.handling !== undefined || (equality !== "cidr" && equality !== "caseless")) return node;
  const text = equality === "cidr" ? canonicalAddress(node.text) : canonicalScalar(node.text, equality);
  return withText(node, text);
}

function withText(node: DesiredNode, text: string): DesiredNode {
  return text === node.text ? node : new DesiredNode(node.tag, node.name, text, [], node);
}

/** Keeps host bits, and also the prefix length of a single address. */
function canonicalAddress(text: string): string {
  const [address = "", length, ...more] = text.split("/");
  const short = canonicalScalar(address, "cidr");
  if (length === undefined) return short;
  return more.length === 0 && /^[0-9]{1,3}$/.test(length) ? `${short}/${Number(length)}` : text;
}
