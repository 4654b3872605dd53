import { textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Inventory } from "../read/inventory.js";
import { members } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject } from "./network-service.js";

export const SHARED_WITH = "shared_with";
export const ACTION = "access_as_shared";

/** Policies that share objects with projects. They have no mark and are shown with the shared objects. */
export const rbacPolicies: ObjectKind = {
  ...networkObject("rbac_policies"),
  entry: entryShape("rbac_policies"),
  needs: [],
  isOptional: true,
  markOf: () => undefined,
  special: () => ({}),
};

/** Returns the policies that share an object with one project, by project. Sharing with all projects is in `shared`. */
export function sharesOf(object: string, inventory: Inventory): ReadonlyMap<string, string> {
  if (!inventory.has("rbac_policies")) return new Map();
  const policies = inventory.where("rbac_policies", "object_id", object).filter((each) => each.action === ACTION);
  const byProject = policies.map((each) => [textAt(each, "target_tenant") ?? "*", textAt(each, "id") ?? ""] as const);
  return new Map(byProject.filter(([project]) => project !== "*").sort());
}

/** Returns the projects that an object is shared with. */
export function sharedWith(object: string, inventory: Inventory): TreeNode | undefined {
  return members(SHARED_WITH, [...sharesOf(object, inventory).keys()]);
}
