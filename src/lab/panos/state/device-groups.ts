import { find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { child, vsysEntries } from "./system-facts.js";

/** List with the parent of each device group, in the read-only part of a manager's configuration (client: pan-os-php, `readonly`). */
export const HIERARCHY = Path.root.child("config").child("readonly").child("devices").entry("localhost.localdomain").child("device-group");

/** Tag of the parent's name in an entry of the hierarchy. */
export const PARENT = "parent-dg";

/** Returns the names of a manager's device groups, templates or stacks. */
export function managedNames(config: TreeNode, list: "device-group" | "template" | "template-stack"): readonly string[] {
  const entries = child(child(child(config, "devices"), "entry"), list)?.children ?? [];
  return entries.flatMap(({ name }) => name ?? []);
}

/**
 * Whether a configuration belongs to a manager: a configuration with device groups, templates or a `panorama` element, and without
 * virtual systems.
 */
export function isManager(config: TreeNode): boolean {
  const hasGroups = (["device-group", "template", "template-stack"] as const).some((list) => managedNames(config, list).length > 0);
  return vsysEntries(config).length === 0 && (hasGroups || child(config, "panorama") !== undefined);
}

/** Returns the parent of each device group, by name. Groups directly below `shared` are omitted. */
export function groupParents(config: TreeNode): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const group of hierarchyOf(config)?.children ?? []) {
    const parent = child(group, PARENT)?.text ?? "";
    if (group.name !== undefined && parent !== "") parents.set(group.name, parent);
  }
  return parents;
}

/** Returns the node with the hierarchy of device groups. */
export function hierarchyOf(config: TreeNode): TreeNode | undefined {
  return find(config, HIERARCHY);
}

/** Whether the name is a valid value of the parameter `vsys`, which locks and commands use as scope. */
export function isScope(config: TreeNode, name: string): boolean {
  return (
    name === "shared" || vsysEntries(config).some((entry) => entry.name === name) || managedNames(config, "device-group").includes(name)
  );
}
