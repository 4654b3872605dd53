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
import { deleteObject } from "./delete.js";
import { ObjectStore } from "./object-store.js";
import type { StoredObject } from "./stored-object.js";
import { addSystemObjects } from "./system-objects.js";
import { Timestamps } from "./timestamps.js";
import { type ReferenceUpdate, updateObject, updateReference } from "./update.js";

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
    for (const gone of deleteObject(this, object)) this.announce("delete", gone);
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
