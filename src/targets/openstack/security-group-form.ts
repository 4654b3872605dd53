import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import type { MeaningChange } from "../../plan/model.js";
import { interfacesAsShown } from "./address-form.js";
import { withChildren } from "./map-children.js";
import { groupIn } from "./objects/server-interfaces.js";
import { ROOT_PATH } from "./shape.js";

/**
 * Attribute of a server interface without port security: such a port has no groups. `network`: its network disables it; `port`: it was
 * disabled on the port.
 */
export const UNSECURED = "unsecured";

/** Whether new ports of a network have no port security. */
type IsBare = (network: string | undefined) => boolean;

/** Uses the declared value, otherwise the live one. */
export function bareIn(...roots: readonly TreeNode[]): IsBare {
  return (network) => {
    const found = roots.map((root) => childByTag(root, "networks")?.children.find(({ name }) => name === network));
    return found.flatMap((each) => (each && childByTag(each, "port_security_enabled")?.text) ?? [])[0] === "false";
  };
}

/** A declared port has its own groups. If a server has no other interfaces, its `security_groups` has no effect and is not written. */
export function groupsAsShown(server: DesiredNode, live: TreeNode, isBare: IsBare): DesiredNode {
  if (childByTag(server, "security_groups") === undefined) return server;
  if (interfacesOf(server, live)?.some((row) => takesGroups(row, isBare)) !== false) return server;
  return withChildren(
    server,
    server.children.filter(({ tag }) => tag !== "security_groups"),
  );
}

/**
 * Reports servers whose `security_groups` cannot apply to any interface. Servers whose ports all have these groups anyway are not reported.
 */
export function groupsWithoutOwner(desired: DesiredNode, live: TreeNode): MeaningChange[] {
  const isBare = bareIn(desired, live);
  const current = new Map((childByTag(live, "servers")?.children ?? []).map((server) => [server.name, server]));
  return ((childByTag(desired, "servers")?.children ?? []) as readonly DesiredNode[]).flatMap((server) => {
    const groups = groupsIn(server);
    const isIgnored = [server, childByTag(server, "security_groups") as DesiredNode].some((node) => node?.handling?.ignored === true);
    if (groups === undefined || server.name === undefined || isIgnored) return [];
    const there = current.get(server.name);
    const rows = interfacesOf(there === undefined ? server : interfacesAsShown(server, there), there);
    if (rows === undefined || rows.some((row) => takesGroups(row, isBare))) return [];
    const ports = rows.flatMap((row) => childByTag(row, "port")?.text ?? []);
    const others = ports.filter((port) => !isSame(groups, groupsOfPort(port, desired, live)));
    if (others.length === 0 && ports.length > 0 && ports.length === rows.length) return [];
    const at = ROOT_PATH.child("servers").entry(server.name);
    // A server to create is blocked completely, because it would be created without these groups.
    return [{ path: there === undefined ? at : at.child("security_groups"), message: `"${server.name}" ${words(rows, others)}` }];
  });
}

function words(rows: readonly TreeNode[], others: readonly string[]): string {
  if (rows.length === 0) return "has no interface for its security_groups. Declare its networks, or remove security_groups.";
  if (others.length === 0) return "has no port security on its interfaces, so security_groups has no effect. Remove it.";
  const named = others.map((port) => `"${port}"`).join(", ");
  return `has no interface for its security_groups: declared ports have their own. Declare them in security_groups of ${named}, and remove them here.`;
}

/** Returns the interfaces that a server will have. Undefined if they are unknown. */
function interfacesOf(server: DesiredNode, live: TreeNode | undefined): readonly TreeNode[] | undefined {
  const declared = childByTag(server, "networks") as DesiredNode | undefined;
  const there = live === undefined ? undefined : childByTag(live, "networks")?.children;
  if (declared === undefined) return there;
  const rows = declared.children.map((row) => there?.find(({ name }) => name === row.name) ?? row);
  return declared.prunes ? rows : [...rows, ...(there ?? []).filter((row) => !rows.includes(row))];
}

/** A new interface gets the port security of its network. */
function takesGroups(row: TreeNode, isBare: IsBare): boolean {
  const network = childByTag(row, "network");
  const isOff = row instanceof DesiredNode ? isBare(network?.text) : network?.attributes?.get(UNSECURED) === "network";
  return childByTag(row, "port") === undefined && !isOff;
}

function groupsOfPort(name: string, desired: TreeNode, live: TreeNode): readonly string[] {
  const [declared, there] = [desired, live].map((root) => childByTag(root, "ports")?.children.find((port) => port.name === name));
  const stated = (tag: string) => [declared, there].map((port) => port && childByTag(port, tag)).find((node) => node !== undefined);
  if (stated("port_security_enabled")?.text === "false") return [];
  return (declared && groupsIn(declared)) ?? (there === undefined ? ["default"] : (groupsIn(there) ?? []));
}

function groupsIn(holder: TreeNode): readonly string[] | undefined {
  return childByTag(holder, "security_groups")?.children.map(({ text }) => groupIn(text));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return new Set(a).size === new Set(b).size && a.every((each) => b.includes(each));
}
