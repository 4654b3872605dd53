import type { TreeNode } from "../../../core/tree/node.js";
import { parsePath } from "../../../core/tree/xpath.js";
import { deviceGroupParents } from "../../../targets/panos/device-groups.js";
import { child, vsysEntries } from "./facts.js";

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

/** Returns the parent of each device group, by name. */
export function groupParents(config: TreeNode): ReadonlyMap<string, string> {
  return new Map([...deviceGroupParents(config)].map(([group, parent]) => [parsePath(group).name ?? "", parsePath(parent).name ?? ""]));
}

/** Whether the name is a valid value of the parameter `vsys`, which locks and commands use as scope. */
export function isScope(config: TreeNode, name: string): boolean {
  return (
    name === "shared" || vsysEntries(config).some((entry) => entry.name === name) || managedNames(config, "device-group").includes(name)
  );
}
