import type { JsonObject } from "../../../core/json/value.js";
import type { Shape } from "../../../core/tree/shape.js";
import type { OpenstackClient } from "../client/client.js";
import type { ListRequest } from "../client/pages.js";
import type { OwnerMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import type { Special } from "../read/render.js";

/** The lists of a cloud that are read whole. */
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

/** One kind of object, as it is read. */
export interface ObjectKind {
  readonly list: ListName;
  /** Shape of its entries. */
  readonly entry: Shape;
  /** How the list is asked for; undefined where it is not a list of a service (projects). */
  readonly request: ListRequest | undefined;
  /** Lists that the entries of this one are made from, beside its own. */
  readonly needs: readonly ListName[];
  /** Lists that the entry of one object is made from beside those, where it names any. */
  alsoNeeds?(object: JsonObject): readonly ListName[];
  /** The object with what the service tells of it elsewhere. */
  completed?(object: JsonObject, client: OpenstackClient): Promise<JsonObject>;
  /** A service may be too old to have the list: it is empty then. */
  readonly isOptional?: boolean;
  /** The service keeps no mark on its objects: whose they are, the ledger says by their ids. */
  readonly isMarkless?: boolean;
  /** The member that holds the object in each item of the list's reply, where items are wrapped. */
  readonly wrapper?: string;
  /** Whether an object of the list is shown as an entry; all are where this is left out. */
  isShown?(object: JsonObject): boolean;
  idOf(object: JsonObject): string;
  nameOf(object: JsonObject): string;
  markOf(object: JsonObject): OwnerMark | undefined;
  /** Objects that are shown as entries of this one: subnets in networks. */
  readonly nested?: { readonly list: ListName; readonly parent: string };
  /** What of an entry is not simply the member of its name. `name` and `owner` are taken care of. */
  special(object: JsonObject, inventory: Inventory): Special;
}
