import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { withChildren } from "./map-children.js";

/** Attribute of a live `server`: the port of it that a floating IP is on; of a live `port`: the server that it belongs to. */
export const ALSO_BY_PORT = "also-by-port";
export const ALSO_BY_SERVER = "also-by-server";

/**
 * A floating IP on the port of a server can be declared by either. Where the live one is right by what is declared, that is said
 * as it is shown, so that one port under two names is no difference.
 */
export function floatingIpAsShown(floating: DesiredNode, live: TreeNode): DesiredNode {
  const children = floating.children.map((child) => {
    const other = otherName(child.tag, live);
    return other === undefined || other.said !== child.text ? child : renamed(child, other.shown);
  });
  return children.every((child, index) => child === floating.children[index]) ? floating : withChildren(floating, children);
}

/** What the live target could be called by a leaf `tag`, and the leaf by which it is shown. */
function otherName(tag: string, live: TreeNode): { readonly said: string | undefined; readonly shown: TreeNode } | undefined {
  const [shownAs, note] = tag === "server" ? ["port", ALSO_BY_SERVER] : tag === "port" ? ["server", ALSO_BY_PORT] : [];
  const shown = shownAs === undefined ? undefined : childByTag(live, shownAs);
  return shown === undefined ? undefined : { said: shown.attributes?.get(note ?? ""), shown };
}

function renamed({ origin, prunes, declared, handling }: DesiredNode, { tag, text }: TreeNode): DesiredNode {
  return new DesiredNode(tag, undefined, text, [], { origin, prunes, declared, handling });
}
