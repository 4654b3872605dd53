import type { JsonObject } from "../world/json.js";
import { isAdmin, owns, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { type Attributes, STANDARD } from "./attributes.js";
import { text, uuid } from "./checks.js";
import { conflict, disallowed, invalidInput } from "./errors.js";
import type { Manager } from "./manager.js";
import type { Standard } from "./standard-attributes.js";
import type { NetworkStore } from "./store.js";

/** Shares an object with another project, or with all (`*`). A policy has neither a name nor tags. */
export interface RbacPolicy extends Standard {
  readonly object_type: "network" | "subnetpool" | "security_group" | "address_group";
  readonly object_id: string;
  readonly action: string;
  target_tenant: string;
}

/** Possible actions by type of object. */
const ACTIONS: Readonly<Record<RbacPolicy["object_type"], readonly string[]>> = {
  network: ["access_as_shared", "access_as_external"],
  subnetpool: ["access_as_shared"],
  security_group: ["access_as_shared"],
  address_group: ["access_as_shared"],
};

const ATTRIBUTES: Attributes = {
  id: {},
  tenant_id: STANDARD.tenant_id ?? {},
  project_id: STANDARD.project_id ?? {},
  object_type: { check: text, post: true, required: true },
  object_id: { check: uuid, post: true, required: true },
  action: { check: text, post: true, required: true },
  target_tenant: { check: text, post: true, put: true, required: true },
};

export class RbacPolicies implements Manager<"rbac_policy"> {
  readonly kind = "rbac_policy";
  readonly plural = "rbac_policies";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;

  constructor(store: NetworkStore) {
    this.#store = store;
  }

  create(values: JsonObject, requester: Requester): RbacPolicy {
    const { object_type: type, object_id: id, action, target_tenant: target } = values as Record<string, string>;
    if (target === "*" && !isAdmin(requester)) throw disallowed("(rule:create_rbac_policy and rule:create_rbac_policy:target_tenant)");
    if (!isType(type)) throw invalidInput(`'${type}' is not a valid RBAC object type`);
    const valid = ACTIONS[type];
    if (!valid.includes(String(action))) {
      const words = `(${valid.map((each) => `'${each}'`).join(", ")}${valid.length === 1 ? "," : ""})`;
      const message = `Invalid action '${action}' for object type '${type}'. Valid actions: ${words}`;
      throw new ServiceError(400, "InvalidActionForType", message);
    }
    const object = this.#store.objects[type].get(String(id));
    if (object === undefined) throw invalidInput(`Callback validate_rbac_policy_change failed with "${type} ${id} could not be found."`);
    if (!owns(requester, object.project_id)) throw invalidInput("Only admins can manipulate policies on objects they do not own");
    const known = [...this.#store.objects.rbac_policy.values()];
    if (known.some((each) => each.object_id === id && each.action === action && each.target_tenant === target))
      throw conflict("DuplicateRbacPolicy", "An RBAC policy already exists with those values.");
    this.#store.quotas.demand("rbac_policy", String(values.project_id));
    const standard = this.#store.standard(values, 0);
    const policy = { ...standard, object_type: type, object_id: String(id), action: String(action), target_tenant: String(target) };
    this.#touch(policy);
    return this.#store.add("rbac_policy", policy);
  }

  update(policy: RbacPolicy, values: JsonObject): void {
    this.#demandUnused(policy);
    this.#store.change("rbac_policy", policy, values as Partial<RbacPolicy>);
  }

  remove(policy: RbacPolicy): void {
    this.#demandUnused(policy);
    this.#touch(policy);
    this.#store.remove("rbac_policy", policy);
  }

  shared(): boolean {
    return false;
  }

  show({ id, tenant_id, project_id, object_type, object_id, action, target_tenant }: RbacPolicy): JsonObject {
    return { id, tenant_id, project_id, object_type, object_id, action, target_tenant };
  }

  /** Sharing a network counts as a change of the network. */
  #touch({ object_type, object_id }: RbacPolicy): void {
    if (object_type === "network") this.#store.change("network", this.#store.get("network", object_id), {});
  }

  #demandUnused({ object_id, action, target_tenant }: RbacPolicy): void {
    if (action !== "access_as_shared") return;
    const uses = [...this.#store.objects.port.values()].some(
      ({ network_id, security_groups, project_id }) =>
        project_id === target_tenant && (network_id === object_id || security_groups.includes(object_id)),
    );
    if (!uses) return;
    const words = `RBAC policy on object ${object_id} cannot be removed because other objects depend on it.\nDetails: Unable to reconfigure sharing settings for network ${object_id}. Multiple tenants are using it.`;
    throw conflict("RbacPolicyInUse", words);
  }
}

function isType(type: string | undefined): type is RbacPolicy["object_type"] {
  return type !== undefined && Object.hasOwn(ACTIONS, type);
}
