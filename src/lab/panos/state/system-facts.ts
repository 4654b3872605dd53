import type { TreeNode } from "../../../core/tree/node.js";

/** The `system` element of a configuration. */
export function systemOf(config: TreeNode): TreeNode | undefined {
  return child(child(child(child(config, "devices"), "entry"), "deviceconfig"), "system");
}

export function hostname(config: TreeNode): string {
  return child(systemOf(config), "hostname")?.text ?? "PA-VM";
}

/** Every vsys entry of a configuration. */
export function vsysEntries(config: TreeNode): readonly TreeNode[] {
  return child(child(child(config, "devices"), "entry"), "vsys")?.children.filter((entry) => entry.name !== undefined) ?? [];
}

export function child(node: TreeNode | undefined, tag: string): TreeNode | undefined {
  return node?.children.find((each) => each.tag === tag);
}
