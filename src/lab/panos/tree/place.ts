import type { TreeNode } from "../../../core/tree/node.js";
import { quote } from "../../../core/tree/path.js";
import { ROOT as ROOT_SPOT, type SchemaPlace } from "../schema/schema-place.js";
import type { Chain } from "./config-tree.js";

/** Schema information about the last node of a chain. */
export interface Place {
  readonly spot: SchemaPlace;
  /** Scopes around the node, the outermost first, each as kind (or tag) and name. The device entry and `shared` are scopes too. */
  readonly scopes: readonly string[];
}

const ROOT: Place = { spot: ROOT_SPOT, scopes: [] };

/** Returns the place of the last node of a chain. The chain must start at the root element. */
export function placeOf(chain: Chain): Place {
  let place = ROOT;
  for (const node of chain.slice(1)) place = placeBelow(place, node);
  return place;
}

/** Returns the place of `node`, a child of the node at `place`. */
export function placeBelow(place: Place, node: TreeNode): Place {
  const spot = place.spot.child(node.tag);
  if (!spot.isScope) return { spot, scopes: place.scopes };
  const scope = spot.frame === "global" ? GLOBAL : `${place.spot.list?.kind ?? node.tag}:${node.name ?? ""}`;
  return { spot, scopes: [...place.scopes, scope] };
}

/** Scope whose names are visible from all other scopes. */
export const GLOBAL = "shared";

/** Returns the xpath of a chain, as change lists and logs print it. */
export function xpathOf(chain: Chain): string {
  return chain.map((node) => `/${stepOf(node)}`).join("");
}

function stepOf(node: TreeNode): string {
  if (node.name !== undefined) return `${node.tag}[@name=${quote(node.name)}]`;
  return node.tag === "member" ? `member[text()=${quote(node.text)}]` : node.tag;
}

/** Returns the position of a node for error messages: the path below its vsys, device group or `shared`, joined by arrows. */
export function arrowsOf(chain: Chain): string {
  const words = chain.map((node) => node.name ?? (node.tag === "member" ? node.text : node.tag));
  return words.slice(scopeDepth(chain)).join(" -> ");
}

function scopeDepth(chain: Chain): number {
  const tag = (at: number): string | undefined => chain[at]?.tag;
  if (tag(1) === "devices") return tag(3) === "vsys" || tag(3) === "device-group" ? 5 : 3;
  return 2;
}

/**
 * Returns the xpath of the list that contains the innermost entry of a chain, ignoring frames such as the vsys. Without such an entry,
 * returns the xpath of the last node's parent.
 */
export function containerOf(chain: Chain): string {
  for (let depth = chain.length - 1; depth > 0; depth--) {
    const above = chain.slice(0, depth);
    if (chain[depth]?.tag === "entry" && !placeOf(chain.slice(0, depth + 1)).spot.isFrame) return xpathOf(above);
  }
  return xpathOf(chain.slice(0, -1));
}
