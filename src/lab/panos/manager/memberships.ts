import type { TreeNode } from "../../../core/tree/node.js";
import { groupParents } from "../state/device-groups.js";
import { child } from "../state/system-facts.js";

/** A firewall in a device group. `vsys` is undefined if the group contains every vsys of the firewall. */
export interface GroupMember {
  readonly serial: string;
  readonly vsys: readonly string[] | undefined;
}

type List = "device-group" | "template" | "template-stack";

/** Returns an entry of a manager's list of groups, templates or stacks. */
export function managedEntry(config: TreeNode, list: List, name: string): TreeNode | undefined {
  return child(child(child(config, "devices"), "entry"), list)?.children.find((entry) => entry.name === name);
}

/** Returns the firewalls in the group itself, without the firewalls of child groups. */
export function groupMembers(config: TreeNode, group: string): readonly GroupMember[] {
  return (child(managedEntry(config, "device-group", group), "devices")?.children ?? []).map((entry) => {
    const vsys = (child(entry, "vsys")?.children ?? []).map(({ name, text }) => name ?? text);
    return { serial: entry.name ?? "", vsys: vsys.length === 0 ? undefined : vsys };
  });
}

export function stackMembers(config: TreeNode, stack: string): readonly string[] {
  return (child(managedEntry(config, "template-stack", stack), "devices")?.children ?? []).map(({ name }) => name ?? "");
}

/** Returns the names of a stack's templates. The first has precedence. */
export function stackTemplates(config: TreeNode, stack: string): readonly string[] {
  return (child(managedEntry(config, "template-stack", stack), "templates")?.children ?? []).map(({ text }) => text);
}

/** Returns the group, its parent and all further ancestors. */
export function groupAndAncestors(config: TreeNode, group: string): readonly string[] {
  const parents = groupParents(config);
  const found: string[] = [];
  for (let name: string | undefined = group; name !== undefined && !found.includes(name); name = parents.get(name)) found.push(name);
  return found;
}
