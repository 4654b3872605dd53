import type { Clock } from "../../panos/clock.js";
import type { WorldEvents } from "../world/events.js";
import type { Identifiers } from "../world/identifiers.js";
import type { JsonObject } from "../world/json.js";
import { isAdmin, owns, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { AddressGroups } from "./address-groups.js";
import { parseAddress, within } from "./addresses.js";
import { readCreate, readCreates, readUpdate } from "./attributes.js";
import { disallowed, type NetworkKind, notFound } from "./errors.js";
import { FloatingIps } from "./floating-ips.js";
import type { Manager, NetworkObjects } from "./manager.js";
import { Networks } from "./networks.js";
import type { Port } from "./port.js";
import { Ports } from "./ports.js";
import { RbacPolicies } from "./rbac-policies.js";
import { Routers } from "./routers.js";
import { SecurityGroupRules } from "./security-group-rules.js";
import { SecurityGroups } from "./security-groups.js";
import { NetworkStore } from "./store.js";
import { SubnetPools } from "./subnet-pools.js";
import { Subnets } from "./subnets.js";
import { checkedTags } from "./tags.js";
import { Trunks } from "./trunks.js";

export interface NetworkOptions {
  /** Maximum number of objects in a list reply. By default unlimited. */
  readonly pageMaximum?: number;
  /** The highest id of a vxlan segment. Defaults to 65535. */
  readonly lastTunnel?: number;
  /** Whether a create may contain tags, as since 2025.1 (`tag-creation`). Defaults to false. */
  readonly tagsAtCreate?: boolean;
}

/** The network service without HTTP: checks access, and reads, creates, changes and deletes objects. */
export class NetworkService {
  readonly store: NetworkStore;
  readonly groups: SecurityGroups;
  readonly ports: Ports;
  readonly routers: Routers;
  readonly addressGroups: AddressGroups;
  readonly subnetPools: SubnetPools;
  readonly trunks: Trunks;
  readonly managers: { readonly [K in NetworkKind]: Manager<K> };
  readonly tagsAtCreate: boolean;
  pageMaximum: number | undefined;

  constructor(clock: Clock, identifiers: Identifiers, events: WorldEvents, options: NetworkOptions = {}) {
    const { pageMaximum, lastTunnel = 65_535, tagsAtCreate = false } = options;
    this.store = new NetworkStore(clock, identifiers, events);
    this.groups = new SecurityGroups(this.store);
    this.ports = new Ports(this.store, this.groups);
    this.routers = new Routers(this.store, this.ports);
    this.addressGroups = new AddressGroups(this.store);
    this.subnetPools = new SubnetPools(this.store);
    this.trunks = new Trunks(this.store);
    const subnets = new Subnets(this.store, this.subnetPools);
    const floating = new FloatingIps(this.store, this.ports);
    this.managers = {
      network: new Networks(this.store, subnets, floating, lastTunnel),
      subnet: subnets,
      subnetpool: this.subnetPools,
      rbac_policy: new RbacPolicies(this.store),
      port: this.ports,
      trunk: this.trunks,
      router: this.routers,
      security_group: this.groups,
      security_group_rule: new SecurityGroupRules(this.store, this.groups),
      floatingip: floating,
      address_group: this.addressGroups,
    };
    this.tagsAtCreate = tagsAtCreate;
    this.pageMaximum = pageMaximum;
  }

  /** Returns all objects of a kind in the order of creation, without an access check. */
  all<K extends NetworkKind>(kind: K): NetworkObjects[K][] {
    return [...this.store.objects[kind].values()] as NetworkObjects[K][];
  }

  /** Returns the objects that the requester can see. */
  visible<K extends NetworkKind>(kind: K, requester: Requester): NetworkObjects[K][] {
    if (kind === "security_group" && requester.projectId !== undefined) this.groups.defaultOf(requester.projectId);
    return this.all(kind).filter((object) => this.#sees(kind, object, requester));
  }

  /** Throws the kind's 404 for an object that is missing or not visible. */
  get<K extends NetworkKind>(kind: K, id: string, requester: Requester): NetworkObjects[K] {
    const object = this.store.get(kind, id) as NetworkObjects[K];
    if (!this.#sees(kind, object, requester)) throw notFound(kind, id);
    return object;
  }

  /** Creates an object, like a `POST` of `{kind: values}`. */
  create<K extends NetworkKind>(kind: K, requester: Requester, values: JsonObject): NetworkObjects[K] {
    const manager: Manager<K> = this.managers[kind];
    return manager.create(readCreate(kind, manager.attributes, { [kind]: values }, requester), requester);
  }

  /** Creates one object, or all objects of a bulk request. A bulk request that fails leaves no objects. */
  createFrom<K extends NetworkKind>(kind: K, requester: Requester, body: unknown): NetworkObjects[K] | NetworkObjects[K][] {
    const manager: Manager<K> = this.managers[kind];
    const isTagged = this.tagsAtCreate && manager.attributes.tags !== undefined;
    const attributes = isTagged ? { ...manager.attributes, tags: { check: checkedTags, post: true } } : manager.attributes;
    const values = readCreates(kind, manager.plural, attributes, body, requester);
    const make = ({ tags, ...rest }: JsonObject): NetworkObjects[K] => {
      const object = manager.create(rest, requester);
      return tags === undefined ? object : Object.assign(object, { tags: [...new Set(tags as string[])].sort() });
    };
    if (!Array.isArray(values)) return make(values);
    manager.checkTogether?.(values);
    const made: NetworkObjects[K][] = [];
    try {
      for (const each of values) made.push(make(each));
      return made;
    } catch (error) {
      for (const each of made.reverse()) manager.takeBack === undefined ? manager.remove(each) : manager.takeBack(each);
      throw error;
    }
  }

  update<K extends NetworkKind>(kind: K, requester: Requester, id: string, values: JsonObject, revision?: number): NetworkObjects[K] {
    return this.updateFrom(kind, requester, id, { [kind]: values }, revision);
  }

  /** Updates an object. `revision` is the value of `If-Match`. */
  updateFrom<K extends NetworkKind>(kind: K, requester: Requester, id: string, body: unknown, revision?: number): NetworkObjects[K] {
    const object = this.#own(kind, id, requester, "update");
    const manager: Manager<K> = this.managers[kind];
    const values = readUpdate(kind, manager.attributes, body, requester);
    demandRevision(hasGateway(values) ? countedOn(object) : object, revision);
    manager.update(object, values, requester);
    return object;
  }

  delete(kind: NetworkKind, requester: Requester, id: string, revision?: number): void {
    const object = this.#own(kind, id, requester, "delete");
    demandRevision(hasGateway(object) ? countedOn(object) : object, revision);
    (this.managers[kind] as Manager<NetworkKind>).remove(object);
  }

  /** Returns whether one of a network's subnets contains an address. */
  holds(networkId: string, address: string): boolean {
    return this.#subnetOf(networkId, address) !== undefined;
  }

  /** Returns the port that uses an address of a network. */
  holder(networkId: string, address: string): Port | undefined {
    const subnet = this.#subnetOf(networkId, address);
    const value = parseAddress(address)?.value;
    const id = subnet === undefined || value === undefined ? undefined : this.store.addresses.get(subnet)?.holder(value);
    return id === undefined ? undefined : this.store.objects.port.get(id);
  }

  #subnetOf(networkId: string, address: string): string | undefined {
    return this.store.get("network", networkId).subnets.find((id) => within(this.store.get("subnet", id).cidr, address));
  }

  /** Returns the object as the requester sees it. */
  show<K extends NetworkKind>(kind: K, object: NetworkObjects[K], requester: Requester): JsonObject {
    const manager: Manager<K> = this.managers[kind];
    const shown = manager.show(object);
    if ("shared" in shown && this.store.isGiven(object.id, requester.projectId)) shown.shared = true;
    if (!isAdmin(requester)) {
      for (const [name, { adminSees }] of Object.entries(manager.attributes)) if (adminSees === true) delete shown[name];
    }
    return shown;
  }

  /** Returns the object if the requester may change it. Throws 404 or 403 otherwise. */
  #own<K extends NetworkKind>(kind: K, id: string, requester: Requester, verb: string): NetworkObjects[K] {
    const object = this.get(kind, id, requester);
    if (!owns(requester, object.project_id)) throw disallowed(`rule:${verb}_${kind}`);
    return object;
  }

  #sees<K extends NetworkKind>(kind: K, object: NetworkObjects[K], requester: Requester): boolean {
    if (isAdmin(requester) && (requester.projectId !== undefined || requester.system)) return true;
    if (this.store.hidden.has(object.id)) return false;
    if (object.project_id === requester.projectId) return true;
    if (this.store.isGiven("network_id" in object && kind === "subnet" ? object.network_id : object.id, requester.projectId)) return true;
    return (this.managers[kind] as Manager<K>).shared(object);
  }
}

/**
 * The real service first sets the gateway of a router, or removes it with the router, as a separate change. Only then it compares the
 * revision.
 */
function countedOn({ revision_number }: { revision_number: number }): { revision_number: number } {
  return { revision_number: revision_number + 1 };
}

function hasGateway(object: object): boolean {
  return "external_gateway_info" in object && object.external_gateway_info !== null;
}

function demandRevision({ revision_number }: { revision_number: number }, wanted: number | undefined): void {
  if (wanted === undefined || wanted === revision_number) return;
  const message = `Constrained to ${wanted}, but current revision is ${revision_number}`;
  throw new ServiceError(412, "RevisionNumberConstraintFailed", message);
}
