import { nameOf } from "../world/stored-object.js";
import { applyChange } from "../world/update.js";
import type { TypeRules } from "./type-rules.js";

const POLICY_SET = "default-application-policy-set";

/** Every project comes with an empty set of application policies, and takes it along when it goes. */
export const projectRules: TypeRules = {
  afterCreate(world, object, caller) {
    const set = world.create("application-policy-set", { fq_name: [...object.fqName, POLICY_SET], parent_type: "project" }, caller);
    const reference = { type: set.type, uuid: set.uuid, attr: null, byUuid: true };
    applyChange(world, object, { properties: {}, references: new Map([["application_policy_set_refs", [reference]]]) });
  },
  isDerivedChild: (child) => child.type === "application-policy-set" && nameOf(child) === POLICY_SET,
};
