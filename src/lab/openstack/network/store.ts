import type { Clock } from "../../panos/clock.js";
import type { WorldEvent, WorldEvents } from "../world/events.js";
import type { Identifiers } from "../world/identifiers.js";
import type { JsonObject } from "../world/json.js";
import { seconds } from "../world/time.js";
import type { AddressBook } from "./address-book.js";
import { type NetworkKind, notFound } from "./errors.js";
import type { NetworkObjects } from "./manager.js";
import { Quotas } from "./quotas.js";
import type { Standard } from "./standard-attributes.js";

const FOLLOWED: ReadonlySet<NetworkKind> = new Set(["network", "subnet", "port", "router", "security_group"]);

/** All objects of the network service by kind and id, in the order of creation, with indexes. */
export class NetworkStore {
  readonly objects: { readonly [K in NetworkKind]: Map<string, NetworkObjects[K]> } = {
    network: new Map(),
    subnet: new Map(),
    subnetpool: new Map(),
    rbac_policy: new Map(),
    port: new Map(),
    trunk: new Map(),
    router: new Map(),
    security_group: new Map(),
    security_group_rule: new Map(),
    floatingip: new Map(),
    address_group: new Map(),
  };
  /** Ids that policy hides from everyone except administrators. */
  readonly hidden = new Set<string>();
  readonly quotas = new Quotas(this.objects);
  /** Used addresses by subnet. */
  readonly addresses = new Map<string, AddressBook>();
  readonly portsOfNetwork = new Map<string, Set<string>>();
  readonly portsOfDevice = new Map<string, Set<string>>();
  readonly portsOfGroup = new Map<string, Set<string>>();
  readonly rulesOfGroup = new Map<string, Set<string>>();
  readonly #clock: Clock;
  readonly identifiers: Identifiers;
  readonly #events: WorldEvents;

  constructor(clock: Clock, identifiers: Identifiers, events: WorldEvents) {
    this.#clock = clock;
    this.identifiers = identifiers;
    this.#events = events;
  }

  get<K extends NetworkKind>(kind: K, id: string): NetworkObjects[K] {
    const found = this.objects[kind].get(id);
    if (found === undefined) throw notFound(kind, id);
    return found;
  }

  /** Returns the attributes that every object has, from the values of its create. */
  standard({ name, description, project_id }: JsonObject, revision: number): Standard {
    const now = this.now();
    const project = String(project_id);
    return {
      id: this.identifiers.uuid(),
      name: String(name ?? ""),
      description: String(description ?? ""),
      tenant_id: project,
      project_id: project,
      tags: [],
      created_at: now,
      updated_at: now,
      revision_number: revision,
    };
  }

  /** Returns whether a policy shares an object with a project. */
  isGiven(id: string, project: string | undefined): boolean {
    return [...this.objects.rbac_policy.values()].some(
      (each) =>
        each.object_id === id && each.action === "access_as_shared" && (each.target_tenant === project || each.target_tenant === "*"),
    );
  }

  now(): string {
    return seconds(this.#clock.now());
  }

  add<K extends NetworkKind>(kind: K, object: NetworkObjects[K]): NetworkObjects[K] {
    this.objects[kind].set(object.id, object);
    this.quotas.count(kind, object.project_id, 1);
    this.#emit(kind, "create", object);
    return object;
  }

  /** Stores new values and counts the revision, also if no value changes. */
  change<K extends NetworkKind>(kind: K, object: NetworkObjects[K], values: Partial<NetworkObjects[K]>): NetworkObjects[K] {
    Object.assign(object, values);
    object.revision_number++;
    object.updated_at = this.now();
    this.#emit(kind, "update", object);
    return object;
  }

  remove<K extends NetworkKind>(kind: K, object: NetworkObjects[K]): void {
    this.objects[kind].delete(object.id);
    for (const policy of this.objects.rbac_policy.values()) if (policy.object_id === object.id) this.remove("rbac_policy", policy);
    this.quotas.count(kind, object.project_id, -1);
    this.#emit(kind, "delete", object);
  }

  #emit<K extends NetworkKind>(kind: K, action: WorldEvent["action"], object: NetworkObjects[K]): void {
    if (!FOLLOWED.has(kind)) return;
    this.#events.emit({ kind, action, object: structuredClone(object) } as WorldEvent);
  }
}

/** Adds an id to a set. Creates a missing set. */
export function index(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([id]));
  else set.add(id);
}
