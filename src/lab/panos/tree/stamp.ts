import type { TreeNode } from "../../../core/tree/node.js";
import { type Chain, type ConfigTree, last } from "./config-tree.js";
import { placeOf } from "./place.js";

/** Author, number and time of a change. Devices write them as `admin`, `dirtyId` and `time` on changed nodes. */
export interface Stamp {
  readonly admin: string;
  /** `yyyy/mm/dd hh:mm:ss`. */
  readonly time: string;
  readonly dirtyId: number;
}

/** Attributes that only the device writes. They are removed from the XML that clients send. */
export const DEVICE_MARKS: ReadonlySet<string> = new Set(["admin", "dirtyId", "time"]);

/** Marks the last node of `chain` as changed, and its ancestors up to its entry or list. Returns its chain. */
export function touch(tree: ConfigTree, chain: Chain, stamp: Stamp): Chain {
  let own: Chain = chain;
  for (let depth = chain.length; depth > 1; depth--) {
    const upper = own.slice(0, depth);
    const node = last(upper);
    if (depth < chain.length && !holds(upper)) break;
    const marked = tree.setAttributes(upper, marks(node, stamp));
    own = depth === chain.length ? marked : [...marked, ...own.slice(depth)];
    if (node.tag === "entry" || holdsEntries(node)) break;
  }
  return own;
}

function holds(chain: Chain): boolean {
  return !placeOf(chain).spot.isFrame;
}

function holdsEntries(node: TreeNode): boolean {
  return node.children[0]?.tag === "entry";
}

function marks(node: TreeNode, stamp: Stamp): ReadonlyMap<string, string> {
  const attributes = new Map(node.attributes ?? []);
  attributes.set("admin", stamp.admin);
  attributes.set("dirtyId", String(stamp.dirtyId));
  attributes.set("time", stamp.time);
  return attributes;
}
