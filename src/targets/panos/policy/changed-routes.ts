import { canonicalText } from "../../../core/tree/canonical.js";
import { find, shapeAt } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { SILENT_NETWORK } from "../deciding-settings.js";
import { deviceEntry } from "../scope.js";
import { panosShape } from "../shape.js";
import type { Version } from "./changed-definitions.js";

export const ROUTES_CHANGE = "Interfaces or routes change: the source and destination zones of an address may differ.";
const SHARED_GATEWAYS_CHANGE = "Shared gateways change: their rules and NAT are not compared.";

/** Configuration that decides the zone of an address. */
const ROUTING = ["interface", "virtual-router", "logical-router", "virtual-wire", "vlan"].map((tag) =>
  deviceEntry.child("network").child(tag),
);
const SHARED_GATEWAYS = deviceEntry.child("network").child("shared-gateway");

/** Settings of a static route that `Routes` reads. */
const OF_ROUTES = new Set("destination interface metric admin-dist".split(" "));
const NEXT_HOPS = new Set("ip-address ipv6-address next-vr next-lr discard".split(" "));

export function routeChanges(before: Version, after: Version): string[] {
  const [former, next] = [before.system.network ?? before.root, after.system.network ?? after.root];
  return [
    ...(changesOfRoutes(former, next, after.system.path) ? [ROUTES_CHANGE] : []),
    ...(textAt(former, SHARED_GATEWAYS) === textAt(next, SHARED_GATEWAYS) ? [] : [SHARED_GATEWAYS_CHANGE]),
  ];
}

/** Whether interfaces or routes change, or the interfaces that the virtual system imports. */
export function changesOfRoutes(before: TreeNode, after: TreeNode, system: Path): boolean {
  return before !== after && [...ROUTING, system.child("import")].some((path) => textAt(before, path) !== textAt(after, path));
}

/** Whether settings change that `Routes` does not read: the routes that it computes are not all that change. */
export function changesUnreadRouting(before: Version, after: Version): boolean {
  const [former, next] = [before.system.network ?? before.root, after.system.network ?? after.root];
  const places = [...ROUTING, after.system.path.child("import")];
  return former !== next && places.some((path) => textAt(former, path, true) !== textAt(next, path, true));
}

function textAt(root: TreeNode, path: Path, isUnreadOnly = false): string {
  const node = find(root, path);
  const kept = node === undefined ? undefined : without(node, [path.tag], isUnreadOnly);
  return kept === undefined ? "" : canonicalText(kept, shapeAt(path, panosShape()));
}

/** Removes settings that decide no zone. `isUnreadOnly`: also those that `Routes` reads, and what is empty without them. */
function without(node: TreeNode, tags: readonly string[], isUnreadOnly: boolean): TreeNode | undefined {
  const children = node.children
    .filter(({ tag, name }) => name !== undefined || !(SILENT_NETWORK.has(tag) || (isUnreadOnly && isRead(tag, tags))))
    .flatMap((child) => without(child, [...tags, child.tag], isUnreadOnly) ?? []);
  const isAddress = node.name !== undefined && (tags.at(-2) === "ip" || tags.slice(-3, -1).join("/") === "ipv6/address");
  const isEmptied = isUnreadOnly && children.length === 0 && (node.children.length > 0 || isAddress);
  return isEmptied ? undefined : new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}

/** `tags`: from the list of interfaces or routers to the parent. */
function isRead(tag: string, tags: readonly string[]): boolean {
  const [list, parent] = [tags.at(-2), tags.at(-1)];
  if (list === "static-route") return OF_ROUTES.has(tag);
  if (parent === "nexthop") return NEXT_HOPS.has(tag);
  return tag === "interface" && (list === "virtual-router" || list === "vrf");
}
