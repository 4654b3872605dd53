import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { withChildren } from "./map-children.js";

/** Attributes of a floating IP's target. On a live `server`: the port of the floating IP; on a live `port`: the server that owns it. */
export const ALSO_BY_PORT = "also-by-port";
export const ALSO_BY_SERVER = "also-by-server";

/**
 * A floating IP on a server's port can be declared by the port or by the server. If the live target matches, the declared form is replaced
 * with the live form, so that it is not a difference.
 */
export function floatingIpAsShown(floating: DesiredNode, live: TreeNode): DesiredNode {
  const children = floating.children.map((child) => {
    const other = otherName(child.tag, live);
    return other === undefined || other.said !== child.text ? child : renamed(child, other.shown);
  });
  return children.every((child, index) => child === floating.children[index]) ? floating : withChildren(floating, children);
}

/** Returns the other name of the live target for a leaf `tag`, and the leaf that shows it. */
function otherName(tag: string, live: TreeNode): { readonly said: string | undefined; readonly shown: TreeNode } | undefined {
  const [shownAs, note] = tag === "server" ? ["port", ALSO_BY_SERVER] : tag === "port" ? ["server", ALSO_BY_PORT] : [];
  const shown = shownAs === undefined ? undefined : childByTag(live, shownAs);
  return shown === undefined ? undefined : { said: shown.attributes?.get(note ?? ""), shown };
}

function renamed({ origin, prunes, declared, handling }: DesiredNode, { tag, text }: TreeNode): DesiredNode {
  return new DesiredNode(tag, undefined, text, [], { origin, prunes, declared, handling });
}
