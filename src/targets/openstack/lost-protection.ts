import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";

/** Attribute of a port's `port_security_enabled` that is as its network has it: what the port would be born with. */
export const GIVEN_BY_NETWORK = "given-by-network";

/** Security group of a new port for which the document lists no groups. */
const FIRST_GROUP = "default";

/**
 * Adds to each declared port the port security and the security groups that it was created with, if the document does not list them.
 * A port that Plumbline made and whose document has no `security_groups` is in the group `default` only, so that removing the line
 * takes the groups away. A port that was taken over keeps its groups, because it may never have had others. `isOurs`: ports that
 * Plumbline made, by key.
 */
export function withLostProtection(desired: DesiredNode, live: TreeNode, isOurs: (port: string) => boolean): DesiredNode {
  const ports = childByTag(desired, "ports") as DesiredNode | undefined;
  const standing = childByTag(live, "ports");
  if (ports === undefined || standing === undefined) return desired;
  const lives = new Map(standing.children.map((port) => [port.name, port]));
  const children = ports.children.map((port) => {
    const there = lives.get(port.name);
    return there === undefined || !port.prunes ? port : withLost(port, there, isOurs(port.name ?? ""));
  });
  if (children.every((port, index) => port === ports.children[index])) return desired;
  const whole = withChildren(ports, children);
  return withChildren(
    desired,
    desired.children.map((child) => (child === ports ? whole : child)),
  );
}

function withLost(port: DesiredNode, live: TreeNode, isOurs: boolean): DesiredNode {
  const lost: DesiredNode[] = [];
  const said = (tag: string) => childByTag(port, tag);
  const groups = said("security_groups");
  const security = childByTag(live, "port_security_enabled");
  const isOff = security?.text === "false" && said("port_security_enabled") === undefined;
  const isNeeded = isOurs ? security?.attributes?.has(GIVEN_BY_NETWORK) !== true : (groups?.children.length ?? 0) > 0;
  if (isOff && isNeeded) lost.push(node(port, "port_security_enabled", "true"));
  const isOn = said("port_security_enabled")?.text !== "false" && (security?.text !== "false" || lost.length > 0);
  if (isOurs && isOn && groups === undefined && !hasFirstGroupOnly(live))
    lost.push(node(port, "security_groups", "", [node(port, "member", FIRST_GROUP)]));
  return lost.length === 0 ? port : withChildren(port, [...port.children, ...lost]);
}

function hasFirstGroupOnly(live: TreeNode): boolean {
  const [first, ...others] = childByTag(live, "security_groups")?.children ?? [];
  return first?.text === FIRST_GROUP && others.length === 0;
}

function node({ origin }: DesiredNode, tag: string, text: string, children: readonly DesiredNode[] = []): DesiredNode {
  return new DesiredNode(tag, undefined, text, children, { origin, prunes: true, declared: true });
}

/** The node with other children. */
export function withChildren(of: DesiredNode, children: readonly DesiredNode[]): DesiredNode {
  return new DesiredNode(of.tag, of.name, of.text, children, of);
}
