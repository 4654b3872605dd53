import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { canonicalFields } from "../canonical-rule.js";
import type { Inventory } from "../read/inventory.js";
import { childrenOf, keyless, leaf, MADE_BY_SERVICE, scalar } from "../read/render.js";
import { ALSO_BY_ID } from "../rule-form.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";
import { sharedWith } from "./shares.js";

const entry = entryShape("security_groups");
const list = entry.child("rules");
const ruleShape = list.child("entry");

export const securityGroups: ObjectKind = {
  ...networkObject("security_groups"),
  entry,
  needs: ["rbac_policies"],
  alsoNeeds: (group) =>
    objectsAt(group, "security_group_rules").some(({ remote_address_group_id: id }) => typeof id === "string") ? ["address_groups"] : [],
  special: (group, inventory) => ({
    tags: tagsOf(group),
    // An empty list shows that the group lacks the default rules.
    rules: rulesOf(group, inventory) ?? new TreeNode("rules"),
    shared_with: sharedWith(textAt(group, "id") ?? "", inventory),
  }),
};

function rulesOf(group: JsonObject, inventory: Inventory): TreeNode | undefined {
  const rules = objectsAt(group, "security_group_rules");
  return keyless(
    "rules",
    rules.map((rule) => ruleChildren(rule, inventory)),
    list,
    rules.map((rule) => (isDefault(rule) ? MADE_BY_SERVICE : undefined)),
  );
}

/** Returns the IDs of live rules by the names of their entries. */
export function ruleIds(group: JsonObject, inventory: Inventory): ReadonlyMap<string, string> {
  const ids = objectsAt(group, "security_group_rules").map((rule) => textAt(rule, "id") ?? "");
  const names = rulesOf(group, inventory)?.children.map(({ name }) => name ?? "") ?? [];
  return new Map(names.map((name, index) => [name, ids[index] ?? ""]));
}

function ruleChildren(rule: JsonObject, inventory: Inventory): TreeNode[] {
  const remote = textAt(rule, "remote_group_id");
  const addresses = textAt(rule, "remote_address_group_id");
  const canonical = Object.entries(canonicalFields((tag) => scalar(rule[tag]))).map(([tag, text]) => [tag, leaf(tag, text)]);
  return childrenOf(rule, ruleShape, {
    ...Object.fromEntries(canonical),
    remote_address_group: addresses === undefined ? undefined : addressGroup(addresses, inventory),
    remote_address_group_id: undefined,
    remote_group: leaf("remote_group", remote === undefined ? undefined : inventory.keyOf("security_groups", remote)),
  });
}

/** Returns the name. An attribute contains the id, which documents may use instead. */
function addressGroup(id: string, inventory: Inventory): TreeNode {
  const name = inventory.has("address_groups") ? inventory.keyOf("address_groups", id) : id;
  return new TreeNode("remote_address_group", undefined, name, [], new Map([[ALSO_BY_ID, id]]));
}

/**
 * Returns true for the two rules of every new group, which allow all egress (docs/contributing/devices/openstack.md#network). They have no description.
 */
function isDefault(rule: JsonObject): boolean {
  const fields = Object.values(canonicalFields((tag) => scalar(rule[tag])));
  const restrictions = [...fields, rule.remote_group_id, rule.remote_address_group_id, scalar(rule.description)];
  return rule.direction === "egress" && restrictions.every((each) => each === null || each === undefined);
}
