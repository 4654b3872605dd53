import type { TreeNode } from "../../../core/tree/node.js";
import { parsePath } from "../../../core/tree/xpath.js";
import { deviceGroupParents } from "../../../targets/panos/device-groups.js";
import { child, vsysEntries } from "./facts.js";

/** Names of a manager's device groups, templates or stacks. */
export function managedNames(config: TreeNode, list: "device-group" | "template" | "template-stack"): readonly string[] {
  const entries = child(child(child(config, "devices"), "entry"), list)?.children ?? [];
  return entries.flatMap(({ name }) => name ?? []);
}

/** A configuration with device groups or templates and without virtual systems is that of a manager. */
export function isManager(config: TreeNode): boolean {
  const hasGroups = (["device-group", "template", "template-stack"] as const).some((list) => managedNames(config, list).length > 0);
  return vsysEntries(config).length === 0 && (hasGroups || child(config, "panorama") !== undefined);
}

/** Name of each device group to that of the group above it. */
export function groupParents(config: TreeNode): ReadonlyMap<string, string> {
  return new Map([...deviceGroupParents(config)].map(([group, parent]) => [parsePath(group).name ?? "", parsePath(parent).name ?? ""]));
}

/** What the parameter `vsys` may say, which locks and commands go by. */
export function isScope(config: TreeNode, name: string): boolean {
  return (
    name === "shared" || vsysEntries(config).some((entry) => entry.name === name) || managedNames(config, "device-group").includes(name)
  );
}
