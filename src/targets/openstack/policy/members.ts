import { groupBy } from "../../../core/group-by.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { listed } from "../../../outcome/shorten-list.js";
import { groupIn } from "../objects/server-interfaces.js";
import { UNSECURED } from "../security-group-form.js";
import { type Group, groupsIn, isLive, passing } from "./groups.js";

/** Everything except visible ports of the project: other projects, services, and everything outside the cloud. */
export const ANYWHERE = "anywhere";
const BARE = "(no group)";
/** Group of ports without port security. */
export const OPEN = "(no port security)";
/** Group of a port without declared groups. */
const DEFAULT = "default";
/** Maximum number of objects in a zone name. */
const NAMED = 3;

/** Ports with the same groups in each version, or a single one. */
export interface Zone {
  readonly name: string;
  /** Groups in each version. Undefined if none of the ports exists in it. */
  readonly groups: readonly (ReadonlySet<string> | undefined)[];
  /** For example `server web-01` or `port vip`. */
  readonly holders: readonly string[];
}

/** One version of a project. */
export interface Project {
  /** Groups by name, including one for ports without port security, which allows all traffic. */
  readonly groups: ReadonlyMap<string, Group>;
  /** Ports and servers with their groups. */
  readonly holders: ReadonlyMap<string, ReadonlySet<string>>;
}

export function projectIn(root: TreeNode): Project {
  const open: Group = { rules: [...passing("ingress"), ...passing("egress")], isStateful: true, isShared: false };
  return { groups: new Map([...groupsIn(root), [OPEN, open]]), holders: new Map([...portsIn(root), ...serversIn(root)]) };
}

/**
 * Returns the zones of several versions: each set of groups with members, members whose groups change, and each group without members
 * except the default group.
 *
 * @param apart Ports and servers with a zone of their own.
 */
export function zonesOf(versions: readonly Project[], apart: ReadonlySet<string> = new Set()): Zone[] {
  const holders = [...new Set(versions.flatMap((version) => [...version.holders.keys()]))].sort();
  const courseOf = (holder: string) => versions.map(({ holders: all }) => wordOf(all.get(holder)) ?? "").join("\n");
  const courses = [...groupBy(holders, (holder) => (apart.has(holder) ? `\n${holder}` : courseOf(holder)))];
  const found = courses.map(([, alike]): Zone => {
    const groups = versions.map((version) => version.holders.get(alike[0] ?? ""));
    const [word, ...others] = new Set(groups.map(wordOf));
    const isNamed = word !== undefined && others.length === 0 && !apart.has(alike[0] ?? "");
    return { name: isNamed ? word : listed(alike, NAMED), groups, holders: alike };
  });
  const held = new Set(found.flatMap(({ groups }) => groups.flatMap((names) => [...(names ?? [])])));
  const all = new Set(versions.flatMap(({ groups }) => [...groups.keys()]));
  const alone = [...all].filter((name) => name !== OPEN && name !== DEFAULT && !held.has(name));
  const single = (name: string): Zone => {
    return { name, groups: versions.map(({ groups }) => (groups.has(name) ? new Set([name]) : undefined)), holders: [] };
  };
  return [...alone.map(single), ...found].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function wordOf(groups: ReadonlySet<string> | undefined): string | undefined {
  return groups === undefined ? undefined : groups.size === 0 ? BARE : [...groups].sort().join(" + ");
}

function portsIn(root: TreeNode): [string, ReadonlySet<string>][] {
  return (childByTag(root, "ports")?.children ?? []).map((port) => {
    const own = childByTag(port, "port_security_enabled")?.text;
    const isOpen = own === undefined ? isOpenNetwork(childByTag(port, "network")?.text, root) : own === "false";
    return [`port ${port.name}`, isOpen ? new Set([OPEN]) : groupsOf(port)];
  });
}

/** Declared ports are separate holders. A server is unprotected on networks without port security. */
function serversIn(root: TreeNode): [string, ReadonlySet<string>][] {
  return (childByTag(root, "servers")?.children ?? []).flatMap((server): [string, ReadonlySet<string>][] => {
    const rows = childByTag(server, "networks")?.children;
    const made = rows?.filter((row) => childByTag(row, "port") === undefined);
    if (made?.length === 0) return [];
    const open = (made ?? []).filter((row) => isOpenRow(row, server, root)).flatMap((row) => childByTag(row, "network")?.text ?? []);
    const without = open.map((network): [string, ReadonlySet<string>] => [`server ${server.name} on ${network}`, new Set([OPEN])]);
    return open.length > 0 && open.length === made?.length ? without : [...without, [`server ${server.name}`, groupsOf(server)]];
  });
}

/** Whether the port of a server's interface has no port security. A plan that enables it changes the server, not the interface. */
export function isOpenRow(row: TreeNode, server: TreeNode, root: TreeNode): boolean {
  const network = childByTag(row, "network");
  const isSwitchedOff = network?.attributes?.get(UNSECURED) === "port" && childByTag(server, "port_security_enabled")?.text === "false";
  return isSwitchedOff || isOpenNetwork(network?.text, root);
}

function isOpenNetwork(name: string | undefined, root: TreeNode): boolean {
  const network = childByTag(root, "networks")?.children.find((each) => each.name === name);
  return network !== undefined && childByTag(network, "port_security_enabled")?.text === "false";
}

function groupsOf(holder: TreeNode): ReadonlySet<string> {
  const groups = childByTag(holder, "security_groups")?.children.map(({ text }) => groupIn(text));
  return new Set(groups ?? (isLive(holder) ? [] : [DEFAULT]));
}
