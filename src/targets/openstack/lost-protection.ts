import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { mapChildren, withChildren } from "./map-children.js";

/** Attribute of a `port_security_enabled` that equals that of the network, which a new port gets. */
export const GIVEN_BY_NETWORK = "given-by-network";

/** Security group of a new port or server for which the document lists no groups. */
const FIRST_GROUP = "default";

/** Lists whose entries have port security and security groups. The ports that the service made for a server count as the server. */
const PROTECTED: readonly string[] = ["ports", "servers"];

/**
 * Adds to each declared port and server the port security and the security groups that it was created with, if the document does not
 * list them. Without a line `security_groups`, an entry that Plumbline made is in the group `default` only, so that removing the line
 * takes the groups away. An entry that was taken over keeps its groups, because it may never have had others. `isOurs`: entries that
 * Plumbline made.
 */
export function withLostProtection(desired: DesiredNode, live: TreeNode, isManaged: (list: string, entry: string) => boolean): DesiredNode {
  return mapChildren(desired, (list) => {
    const shown = PROTECTED.includes(list.tag) ? childByTag(live, list.tag) : undefined;
    if (shown === undefined) return list;
    const lives = new Map(shown.children.map((entry) => [entry.name, entry]));
    return mapChildren(list, (entry) => {
      const there = lives.get(entry.name);
      // A server without its own ports has neither.
      const isWithoutPorts = list.tag === "servers" && there !== undefined && childByTag(there, "port_security_enabled") === undefined;
      return there === undefined || isWithoutPorts || !entry.prunes ? entry : withLost(entry, there, isManaged(list.tag, entry.name ?? ""));
    });
  });
}

function withLost(entry: DesiredNode, live: TreeNode, isManaged: boolean): DesiredNode {
  const lost: DesiredNode[] = [];
  const declared = (tag: string) => childByTag(entry, tag);
  const groups = declared("security_groups");
  const security = childByTag(live, "port_security_enabled");
  const isOff = security?.text === "false" && declared("port_security_enabled") === undefined;
  const isNeeded = isManaged ? security?.attributes?.has(GIVEN_BY_NETWORK) !== true : (groups?.children.length ?? 0) > 0;
  if (isOff && isNeeded) lost.push(node(entry, "port_security_enabled", "true"));
  const isOn = declared("port_security_enabled")?.text !== "false" && (security?.text !== "false" || lost.length > 0);
  // The service refuses to turn port security off while the port has groups.
  if (declared("port_security_enabled")?.text === "false" && groups === undefined && childByTag(live, "security_groups") !== undefined)
    lost.push(node(entry, "security_groups", ""));
  if (isManaged && isOn && groups === undefined && !hasFirstGroupOnly(live))
    lost.push(node(entry, "security_groups", "", [node(entry, "member", FIRST_GROUP)]));
  return lost.length === 0 ? entry : withChildren(entry, [...entry.children, ...lost]);
}

function hasFirstGroupOnly(live: TreeNode): boolean {
  const [first, ...others] = childByTag(live, "security_groups")?.children ?? [];
  return first?.text === FIRST_GROUP && others.length === 0;
}

function node({ origin }: DesiredNode, tag: string, text: string, children: readonly DesiredNode[] = []): DesiredNode {
  return new DesiredNode(tag, undefined, text, children, { origin, prunes: true, declared: true });
}
