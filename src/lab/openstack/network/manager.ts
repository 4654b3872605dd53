import type { Followed } from "../world/events.js";
import type { JsonObject } from "../world/json.js";
import type { Requester } from "../world/requester.js";
import type { AddressGroup } from "./address-groups.js";
import type { Attributes } from "./attributes.js";
import type { NetworkKind } from "./errors.js";
import type { FloatingIp } from "./floating-ip.js";
import type { RbacPolicy } from "./rbac-policies.js";
import type { SecurityGroupRule } from "./security-group.js";
import type { SubnetPool } from "./subnet-pools.js";
import type { Trunk } from "./trunks.js";

export interface NetworkObjects extends Followed {
  security_group_rule: SecurityGroupRule;
  floatingip: FloatingIp;
  address_group: AddressGroup;
  subnetpool: SubnetPool;
  rbac_policy: RbacPolicy;
  trunk: Trunk;
}

/** Operations on one kind of object. Values were validated against its attributes. */
export interface Manager<K extends NetworkKind> {
  readonly kind: K;
  readonly plural: string;
  readonly attributes: Attributes;
  create(values: JsonObject, requester: Requester): NetworkObjects[K];
  /** Refuses objects of one bulk request that cannot be created together. */
  checkTogether?(several: readonly JsonObject[]): void;
  update(object: NetworkObjects[K], values: JsonObject, requester: Requester): void;
  remove(object: NetworkObjects[K]): void;
  /** Undoes one create of a refused bulk request. Defaults to `remove`. */
  takeBack?(object: NetworkObjects[K]): void;
  /** Whether projects other than its owner can see it. */
  shared(object: NetworkObjects[K]): boolean;
  /** Returns the object as a reply shows it. */
  show(object: NetworkObjects[K]): JsonObject;
}

/** Returns an object without added or omitted fields. */
export function asJson(object: object): JsonObject {
  return structuredClone(object) as JsonObject;
}
