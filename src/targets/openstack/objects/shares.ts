import { textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Inventory } from "../read/inventory.js";
import { members } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject } from "./network-service.js";

export const SHARED_WITH = "shared_with";
export const ACTION = "access_as_shared";

/** To whom objects are open. They carry no mark and are shown with the objects that they open. */
export const rbacPolicies: ObjectKind = {
  ...networkObject("rbac_policies"),
  entry: entryShape("rbac_policies"),
  needs: [],
  isOptional: true,
  markOf: () => undefined,
  special: () => ({}),
};

/** Ids of policies that open an object to one project each, by that project. All projects together are what `shared` says. */
export function sharesOf(object: string, inventory: Inventory): ReadonlyMap<string, string> {
  if (!inventory.has("rbac_policies")) return new Map();
  const policies = inventory.where("rbac_policies", "object_id", object).filter((each) => each.action === ACTION);
  const byProject = policies.map((each) => [textAt(each, "target_tenant") ?? "*", textAt(each, "id") ?? ""] as const);
  return new Map(byProject.filter(([project]) => project !== "*").sort());
}

/** The projects that an object is shared with. */
export function sharedWith(object: string, inventory: Inventory): TreeNode | undefined {
  return members(SHARED_WITH, [...sharesOf(object, inventory).keys()]);
}
