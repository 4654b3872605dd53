import { find } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { deviceEntry } from "./scope.js";

const GROUPS = deviceEntry.child("device-group");

/** Where a manager keeps which device group stands below which: outside of what anybody may write. */
export const HIERARCHY = Path.root
  .child("config")
  .child("readonly")
  .child("devices")
  .entry(deviceEntry.name ?? "")
  .child("device-group");

/** In an entry of the hierarchy: the name of the group above. */
export const PARENT = "parent-dg";

export function holdsDeviceGroups(root: TreeNode): boolean {
  return (find(root, GROUPS)?.children.length ?? 0) > 0;
}

/**
 * XPath of each device group to that of the group above it, whose names are seen in it too. Groups that stand right below
 * `shared` are not in it.
 */
export function deviceGroupParents(root: TreeNode): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const { name, children } of find(root, HIERARCHY)?.children ?? []) {
    const parent = children.find((child) => child.tag === PARENT)?.text ?? "";
    if (name !== undefined && parent !== "") parents.set(GROUPS.entry(name).toString(), GROUPS.entry(parent).toString());
  }
  return parents;
}

/** The answer to `show dg-hierarchy`, groups in groups, in the form in which the configuration keeps it. */
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
