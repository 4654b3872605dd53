import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";

/** Attribute of a port's `port_security_enabled` that is as its network has it: what the port would be born with. */
export const GIVEN_BY_NETWORK = "given-by-network";

/** The group that the service puts a new port in where nothing is said. */
const FIRST_GROUP = "default";

/**
 * What a declared port was born with and has lost: its security groups, and the port security of its network. Where the
 * document says nothing of them they are nobody's business while they are there, and drift when they are gone. `isOurs`: of
 * ports that we made, by their key; what was taken over may have been without them all along.
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
  if (isOurs && isOn && groups === undefined && childByTag(live, "security_groups") === undefined)
    lost.push(node(port, "security_groups", "", [node(port, "member", FIRST_GROUP)]));
  return lost.length === 0 ? port : withChildren(port, [...port.children, ...lost]);
}

function node({ origin }: DesiredNode, tag: string, text: string, children: readonly DesiredNode[] = []): DesiredNode {
  return new DesiredNode(tag, undefined, text, children, { origin, prunes: true, declared: true });
}

/** The node with other children. */
export function withChildren(of: DesiredNode, children: readonly DesiredNode[]): DesiredNode {
  return new DesiredNode(of.tag, of.name, of.text, children, of);
}
