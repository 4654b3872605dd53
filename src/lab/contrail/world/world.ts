import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../core/json/value.js";
import { type Clock, systemClock } from "../../panos/clock.js";
import type { Caller } from "../access/caller.js";
import { NO_AUTH_CALLER } from "../access/caller.js";
import { NeutronPlugin } from "../neutron/neutron-plugin.js";
import { UsedAddresses } from "../rules/addresses/used-addresses.js";
import { rulesOf } from "../rules/rules.js";
import { ControllerError, unknownId } from "./controller-error.js";
import { createObject } from "./create.js";
import { ObjectStore } from "./object-store.js";
import type { StoredObject } from "./stored-object.js";
import { type ReferenceUpdate, updateObject, updateReference } from "./update.js";

/** Times in the controller's format (`2026-11-21T01:43:44.487337`), strictly increasing. */
class Timestamps {
  readonly #clock: Clock;
  #microseconds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    this.#microseconds = Math.max(this.#clock.now() * 1000, this.#microseconds + 1);
    const milliseconds = new Date(Math.floor(this.#microseconds / 1000)).toISOString().slice(0, 23);
    return `${milliseconds}${String(this.#microseconds % 1000).padStart(3, "0")}`;
  }
}

const PROJECT = ["default-domain", "default-project"];

export interface WorldOptions {
  readonly clock?: Clock;
  /** Generates uuids. Default: random ones. */
  readonly newUuid?: () => string;
  /** Runs the network service's plugin in the controller: `/neutron/…` and the table of subnets. Default: on. */
  readonly neutronPlugin?: boolean;
}

/** A change that watchers receive. */
export interface WorldEvent {
  readonly kind: "create" | "update" | "delete";
  readonly object: StoredObject;
}

/**
 * The controller's configuration database with its rules, without HTTP. It contains objects by type, uuid and name, their references, the
 * key-value table, and the network service's view of both (`neutron`). Refusals are `ControllerError`.
 */
export class ContrailWorld {
  readonly store = new ObjectStore();
  readonly addresses = new UsedAddresses();
  readonly timestamps: Timestamps;
  readonly newUuid: () => string;
  /** The table of `/useragent-kv`. */
  readonly keyValues = new Map<string, string>();
  /** Undefined if the plugin does not run. */
  readonly neutron: NeutronPlugin | undefined;
  readonly #listeners = new Set<(event: WorldEvent) => void>();
  #networkIds = 0;
  #securityGroupIds = 8000000;

  constructor(options: WorldOptions = {}) {
    this.timestamps = new Timestamps(options.clock ?? systemClock);
    this.newUuid = options.newUuid ?? randomUUID;
    this.neutron = options.neutronPlugin === false ? undefined : new NeutronPlugin(this);
    addSystemObjects(this);
  }

  /** Creates an object from a document, like `POST /<type>s`. */
  create(type: string, body: JsonObject, caller: Caller = NO_AUTH_CALLER): StoredObject {
    const object = createObject(this, type, body, caller);
    this.announce("create", object);
    return object;
  }

  /** Changes the fields of a document. An empty document changes nothing, not even the time, and returns undefined. */
  update(type: string, uuid: string, body: JsonObject): StoredObject | undefined {
    const object = this.require(type, uuid);
    if (Object.keys(body).length === 0) return undefined;
    updateObject(this, object, body);
    this.announce("update", object);
    return object;
  }

  /** Adds, replaces or removes one reference, like `POST /ref-update`. */
  updateReference(update: ReferenceUpdate): StoredObject {
    const object = updateReference(this, update);
    this.announce("update", object);
    return object;
  }

  delete(type: string, uuid: string): void {
    const object = this.store.get(uuid);
    if (object === undefined || object.type !== type) throw new ControllerError(404, `ID ${uuid} does not exist`);
    for (const deleted of deleteObject(this, object)) this.announce("delete", deleted);
  }

  /** Returns the object. Throws if the id is unknown. */
  require(type: string, uuid: string): StoredObject {
    const object = this.store.get(uuid);
    if (object === undefined || object.type !== type) throw unknownId(uuid);
    return object;
  }

  /** Updates the modification time of an object, and with it the ETag. */
  touched(object: StoredObject): void {
    const perms = object.properties.id_perms as JsonObject;
    perms.last_modified = this.timestamps.next();
  }

  announce(kind: WorldEvent["kind"], object: StoredObject): void {
    for (const listener of this.#listeners) listener({ kind, object });
  }

  /** Calls `listener` for every change until the returned function is called. */
  watch(listener: (event: WorldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  nextNetworkId(): number {
    this.#networkIds++;
    return this.#networkIds;
  }

  nextSecurityGroupId(): number {
    return this.#securityGroupIds++;
  }

  /** The rules of a type. */
  rules(type: string): ReturnType<typeof rulesOf> {
    return rulesOf(type);
  }
}

/**
 * Deletes an object with its derived children. Returns all deleted objects, children first. Refused (409) while other children or
 * references exist. The error names only the objects of one type, as the controller's does.
 */
function deleteObject(world: ContrailWorld, object: StoredObject): StoredObject[] {
  const rules = world.rules(object.type);
  rules.beforeDelete?.(world, object);
  const derived: StoredObject[] = [];
  for (const [, children] of byType(world.store.childrenOf(object.uuid))) {
    const holding = [...children].filter((child) => rules.isDerivedChild?.(child) !== true);
    if (holding.length > 0) throw new ControllerError(409, "Delete when children still present: ", "text", holding);
    derived.push(...children);
  }
  const leaving = new Set([object, ...derived]);
  for (const [, referrers] of byType(world.store.referrersOf(object.uuid))) {
    const holding = [...referrers].filter((referrer) => !leaving.has(referrer));
    if (holding.length > 0) throw new ControllerError(409, "Delete when resource still referred: ", "text", holding);
  }
  for (const each of [...derived, object]) {
    world.store.remove(each);
    world.rules(each.type).afterDelete?.(world, each);
  }
  const parent = object.parent?.uuid === undefined ? undefined : world.store.get(object.parent.uuid);
  if (parent !== undefined) world.touched(parent);
  return [...derived, object];
}

function byType<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Creates the objects that a controller creates in an empty database (docs/contributing/devices/contrail.md#system-objects). */
function addSystemObjects(world: ContrailWorld): void {
  world.create("global-system-config", { fq_name: ["default-global-system-config"], autonomous_system: 64512, config_version: "1.0" });
  world.create("api-access-list", {
    fq_name: ["default-global-system-config", "default-api-access-list"],
    parent_type: "global-system-config",
    api_access_list_entries: { rbac_rule: ["fqname-to-id", "id-to-fqname", "useragent-kv", "documentation", "/"].map(openToAll) },
  });
  world.create("domain", { fq_name: ["default-domain"], parent_type: "config-root" });
  world.create("project", { fq_name: PROJECT, parent_type: "domain" });
  world.create("network-ipam", { fq_name: [...PROJECT, "default-network-ipam"] });
  world.create("network-ipam", {
    fq_name: [...PROJECT, "service-chain-flat-ipam"],
    ipam_subnet_method: "flat-subnet",
    ipam_subnets: {
      subnets: [{ subnet: { ip_prefix: "0.0.0.0", ip_prefix_len: 8 } }],
    },
  });
  for (const name of ["default-virtual-network", "ip-fabric", "__link_local__", "dci-network"]) {
    world.create("virtual-network", { fq_name: [...PROJECT, name] });
  }
  for (const name of ["default-security-group", "__no_rule__"]) world.create("security-group", { fq_name: [...PROJECT, name] });
}

function openToAll(object: string) {
  return { rule_object: object, rule_field: "", rule_perms: [{ role_name: "*", role_crud: "CRUD" }] };
}
