import { type JsonObject, objectAt, objectsAt } from "../../../core/json/value.js";
import type { ContrailWorld } from "../world/world.js";
import type { TypeRules } from "./type-rules.js";

/** Adds a uuid to rules without one, also in updates. */
function nameRules(world: ContrailWorld, properties: JsonObject, field: string): void {
  for (const rule of objectsAt(objectAt(properties, field) ?? {}, "policy_rule")) rule.rule_uuid ??= world.newUuid();
}

export const networkPolicyRules: TypeRules = {
  beforeCreate(world, { properties }) {
    nameRules(world, properties, "network_policy_entries");
  },
  beforeUpdate(world, _, { properties }) {
    nameRules(world, properties, "network_policy_entries");
  },
};

export const securityGroupRules: TypeRules = {
  beforeCreate(world, { properties }) {
    nameRules(world, properties, "security_group_entries");
    properties.security_group_id = configuredId(properties) ?? world.nextSecurityGroupId();
  },
  beforeUpdate(world, { properties: before }, { properties }) {
    nameRules(world, properties, "security_group_entries");
    delete properties.security_group_id;
    if (!("configured_security_group_id" in properties)) return;
    const wasGiven = configuredId(before) === undefined ? before.security_group_id : undefined;
    properties.security_group_id = configuredId(properties) ?? wasGiven ?? world.nextSecurityGroupId();
  },
};

/** A configured id, below the range of automatic ones. 0 means not configured. */
function configuredId({ configured_security_group_id: id }: JsonObject): number | undefined {
  return typeof id === "number" && id > 0 ? id : undefined;
}
