import { childEntry } from "../lookup.js";
import type { TreeNode } from "../node.js";
import type { Path } from "../path.js";
import { nodeNotFound, nodeNotMovable } from "./refusal.js";

/** Target position of a `move` among the siblings. */
export type Placement = { readonly where: "top" | "bottom" } | { readonly where: "before" | "after"; readonly anchor: string };

/** Returns the final index of the child at `from` after the move. The removal comes first. */
export function placementIndex(parent: TreeNode, from: number, placement: Placement, at: Path): number {
  const { children } = parent;
  if (!("anchor" in placement)) return placement.where === "top" ? 0 : children.length - 1;
  const node = children[from];
  const anchor = node === undefined ? undefined : childEntry(parent, placement.anchor, node.tag);
  if (anchor === undefined) throw nodeNotFound(`There is no "${placement.anchor}" to move ${placement.where}.`, at);
  if (anchor === node) throw nodeNotMovable(`"${placement.anchor}" cannot be moved ${placement.where} itself.`, at);
  const place = children.indexOf(anchor) + (placement.where === "after" ? 1 : 0);
  return from < place ? place - 1 : place;
}
