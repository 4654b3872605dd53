import type { JsonObject } from "../../../core/json/value.js";
import type { Shape } from "../../../core/tree/shape.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import type { ListRequest } from "../../openstack-client/client/pages.js";
import type { OwnerMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import type { Special } from "../read/render.js";

/** Lists of a cloud that are read completely. */
const LISTS = [
  "networks",
  "subnetpools",
  "subnets",
  "routers",
  "security_groups",
  "address_groups",
  "ports",
  "trunks",
  "rbac_policies",
  "keypairs",
  "server_groups",
  "servers",
  "floatingips",
  "volumes",
  "snapshots",
  "images",
  "flavors",
  "availability_zones",
  "projects",
] as const;
export type ListName = (typeof LISTS)[number];

/** How objects of one list are read. */
export interface ObjectKind {
  readonly list: ListName;
  /** Shape of its entries. */
  readonly entry: Shape;
  /** Request of the list. Undefined for projects, which are not a list of a service. */
  readonly request: ListRequest | undefined;
  /** Other lists that the entries of this list depend on. */
  readonly needs: readonly ListName[];
  /** Additional lists that the entry of one object depends on. */
  alsoNeeds?(object: JsonObject): readonly ListName[];
  /** Adds data from other requests to the object. */
  completed?(object: JsonObject, client: OpenstackClient): Promise<JsonObject>;
  /** Older services may lack the list. It is then empty. */
  readonly isOptional?: boolean;
  /** Whether the service cannot store a mark. The ledger then identifies the owner by id. */
  readonly isMarkless?: boolean;
  /** Member that contains the object in each item of the reply, if items are wrapped. */
  readonly wrapper?: string;
  /** Whether an object is shown as an entry. Default: all are. */
  isShown?(object: JsonObject): boolean;
  /** Whether another object uses the object, so that it may be deleted with that one. Default: none is. */
  isHeldElsewhere?(object: JsonObject): boolean;
  idOf(object: JsonObject): string;
  nameOf(object: JsonObject): string;
  markOf(object: JsonObject): OwnerMark | undefined;
  /** Objects shown inside the entries of this list: subnets in networks. */
  readonly nested?: { readonly list: ListName; readonly parent: string };
  /** Children of an entry that differ from the member with their name. `name` and `owner` are handled elsewhere. */
  special(object: JsonObject, inventory: Inventory): Special;
}
