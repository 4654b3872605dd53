import { find } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { deviceEntry } from "./scope.js";

const GROUPS = deviceEntry.child("device-group");

/** The tree of device groups on a manager. It is in the read-only part of the configuration. */
export const HIERARCHY = Path.root
  .child("config")
  .child("readonly")
  .child("devices")
  .entry(deviceEntry.name ?? "")
  .child("device-group");

/** Tag of the parent group's name in an entry of the hierarchy. */
const PARENT = "parent-dg";

export function holdsDeviceGroups(root: TreeNode): boolean {
  return (find(root, GROUPS)?.children.length ?? 0) > 0;
}

/**
 * Maps the XPath of each device group to that of its parent group, whose names are visible in it. Groups directly below `shared` are
 * omitted.
 */
export function deviceGroupParents(root: TreeNode): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const { name, children } of find(root, HIERARCHY)?.children ?? []) {
    const parent = children.find((child) => child.tag === PARENT)?.text ?? "";
    if (name !== undefined && parent !== "") parents.set(GROUPS.entry(name).toString(), GROUPS.entry(parent).toString());
  }
  return parents;
}

/** Converts the nested reply to `show dg-hierarchy` to the form that the configuration uses. */
export function hierarchyNode(nested: TreeNode): TreeNode {
  const entries: TreeNode[] = [];
  const walk = (node: TreeNode, parent: string | undefined) => {
    for (const child of node.children) {
      if (child.tag !== "dg" || child.name === undefined) continue;
      entries.push(new TreeNode("entry", child.name, "", parent === undefined ? [] : [new TreeNode(PARENT, undefined, parent)]));
      walk(child, child.name);
    }
  };
  walk(nested, undefined);
  return new TreeNode(HIERARCHY.tag, undefined, "", entries);
}
