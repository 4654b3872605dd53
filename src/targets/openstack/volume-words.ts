import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { withChildren } from "./map-children.js";

/** Attribute of a live volume's `image`: what that was called when the volume was made. */
export const MADE_AS = "made-as";

/** An image that has another name since, because a newer one has it, is no other image: the volume was made of it long ago. */
export function volumeAsShown(volume: DesiredNode, live: TreeNode): DesiredNode {
  const shown = childByTag(live, "image");
  const madeAs = shown?.attributes?.get(MADE_AS);
  const children = volume.children.map((child) => {
    if (shown === undefined || child.tag !== "image" || child.text !== madeAs || child.text === shown.text) return child;
    return new DesiredNode(child.tag, undefined, shown.text, [], child);
  });
  return children.every((child, index) => child === volume.children[index]) ? volume : withChildren(volume, children);
}
