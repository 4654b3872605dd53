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

/** What one kind of object can do, over values that were checked against its attributes. */
export interface Manager<K extends NetworkKind> {
  readonly kind: K;
  readonly plural: string;
  readonly attributes: Attributes;
  create(values: JsonObject, requester: Requester): NetworkObjects[K];
  /** Refuses values of one bulk request that cannot be created together. */
  checkTogether?(several: readonly JsonObject[]): void;
  update(object: NetworkObjects[K], values: JsonObject, requester: Requester): void;
  remove(object: NetworkObjects[K]): void;
  /** Takes one of several back that are refused together; as `remove` does where nothing is left behind. */
  takeBack?(object: NetworkObjects[K]): void;
  /** Whether somebody who does not own it sees it all the same. */
  shared(object: NetworkObjects[K]): boolean;
  /** The object as it is shown. */
  show(object: NetworkObjects[K]): JsonObject;
}

/** An object with nothing to add to it or to leave out. */
export function asJson(object: object): JsonObject {
  return structuredClone(object) as JsonObject;
}
