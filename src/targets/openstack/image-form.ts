import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { mapChildren } from "./map-children.js";

/** Attribute of a live `image`: its name when the server or volume was created. */
export const MADE_AS = "made-as";

/**
 * Replaces the image that a server or volume was made from by its present name. An image may lose its name to a newer one. The entry is
 * still made from the old image, and only a different reference in the documents requests another image.
 */
export function imageAsShown(entry: DesiredNode, live: TreeNode): DesiredNode {
  const shown = childByTag(live, "image");
  const madeAs = shown?.attributes?.get(MADE_AS);
  return mapChildren(entry, (child) => {
    if (shown === undefined || child.tag !== "image" || child.text !== madeAs || child.text === shown.text) return child;
    return new DesiredNode(child.tag, undefined, shown.text, [], child);
  });
}
