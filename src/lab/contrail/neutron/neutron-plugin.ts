import { type Json, type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import { cidrOf } from "../addresses/network.js";
import { subnetsOf } from "../rules/addresses/network-subnets.js";
import { ControllerError } from "../world/controller-error.js";
import type { StoredObject } from "../world/stored-object.js";
import { dashed } from "../world/uuid.js";
import type { ContrailWorld } from "../world/world.js";
import { NeutronNetworks } from "./networks.js";
import { NeutronError, neutronBadRequest } from "./neutron-error.js";
import { NeutronPorts } from "./ports.js";
import { NeutronSubnets } from "./subnets.js";

/** The requester, as the network service passes it. */
export interface NeutronContext {
  /** Without dashes. */
  readonly tenantId: string;
  readonly admin: boolean;
}

/** A kind of object of the network service. Documents have the form of its public API, without the wrapper. */
export interface NeutronResource {
  create(context: NeutronContext, document: JsonObject): JsonObject;
  read(id: string): JsonObject;
  readAll(context: NeutronContext): JsonObject[];
  update(id: string, document: JsonObject): JsonObject;
  delete(id: string): void;
}

/**
 * The network service's view of the controller through the monolithic plugin (docs/contributing/devices/contrail.md#joins). A network's id is its
 * virtual network's uuid, a subnet's id its `subnet_uuid`. A document's `id` is used if given.
 */
export class NeutronPlugin {
  readonly networks: NeutronNetworks;
  readonly subnets: NeutronSubnets;
  readonly ports: NeutronPorts;
  readonly #world: ContrailWorld;
  /** Rows of the key-value table, by network. */
  readonly #rows = new Map<string, string[]>();

  constructor(world: ContrailWorld) {
    this.#world = world;
    this.networks = new NeutronNetworks(world, this);
    this.subnets = new NeutronSubnets(world);
    this.ports = new NeutronPorts(world, this);
  }

  /** Answers a call of `POST /neutron/<resource>`: a document, a list of documents or a count. Undefined after a delete. */
  handle(name: string, body: JsonObject): Json | undefined {
    const resource = this.#resource(name);
    const context = objectAt(body, "context") ?? {};
    const data = objectAt(body, "data") ?? {};
    const as = { tenantId: (textAt(context, "tenant_id") ?? "").replaceAll("-", ""), admin: context.is_admin === true };
    try {
      return this.#perform(resource, textAt(context, "operation"), as, data);
    } catch (error) {
      if (error instanceof ControllerError) throw neutronBadRequest(name, error.message);
      throw error;
    }
  }

  #perform(resource: NeutronResource, operation: string | undefined, as: NeutronContext, data: JsonObject): Json | undefined {
    const id = textAt(data, "id") ?? "";
    const document = objectAt(data, "resource") ?? {};
    switch (operation) {
      case "CREATE":
        return resource.create(as, document);
      case "READ":
        return resource.read(id);
      case "READALL":
        return filtered(resource.readAll(as), objectAt(data, "filters") ?? {});
      case "READCOUNT":
        return { count: filtered(resource.readAll(as), objectAt(data, "filters") ?? {}).length };
      case "UPDATE":
        return resource.update(id, document);
      case "DELETE":
        resource.delete(id);
        return undefined;
      default:
        throw neutronBadRequest("context", `operation ${operation ?? ""} is not known`);
    }
  }

  #resource(name: string): NeutronResource {
    const resources: Readonly<Record<string, NeutronResource>> = { network: this.networks, subnet: this.subnets, port: this.ports };
    const resource = Object.hasOwn(resources, name) ? resources[name] : undefined;
    if (resource === undefined) throw new NeutronError("NotImplemented", { resource: name });
    return resource;
  }

  /** The project of a tenant. Created if the controller does not know it, as the plugin does. */
  project(tenantId: string, name: string = tenantId.replaceAll("-", "")): StoredObject {
    const uuid = dashed(tenantId);
    const known = this.#world.store.get(uuid);
    if (known?.type === "project") return known;
    const fqName = ["default-domain", name];
    const duplicate = this.#world.store.named("project", fqName) !== undefined;
    return this.#world.create("project", {
      fq_name: duplicate ? ["default-domain", `${name}-${uuid}`] : fqName,
      parent_type: "domain",
      display_name: name,
      uuid,
      perms2: { owner: tenantId.replaceAll("-", "") },
    });
  }

  /** Rewrites the rows `<subnet id>` → `<network id> <cidr>` of a network. Subnets with a new id lose their old row. */
  networkChanged(network: StoredObject): void {
    this.networkDeleted(network);
    const ids: string[] = [];
    for (const { entry, network: block } of subnetsOf(network)) {
      const id = textAt(entry, "subnet_uuid");
      if (id === undefined) continue;
      ids.push(id);
      this.#world.keyValues.set(id, `${network.uuid} ${cidrOf(block)}`);
    }
    if (ids.length > 0) this.#rows.set(network.uuid, ids);
  }

  networkDeleted({ uuid }: StoredObject): void {
    for (const id of this.#rows.get(uuid) ?? []) this.#world.keyValues.delete(id);
    this.#rows.delete(uuid);
  }
}

/** Documents that match the filter: in every field one of its values. */
function filtered(documents: readonly JsonObject[], filters: JsonObject): JsonObject[] {
  const wanted = Object.entries(filters).map(([field, values]) => [field, new Set(Array.isArray(values) ? values : [values])] as const);
  return documents.filter((document) => wanted.every(([field, values]) => values.has(document[field] ?? null)));
}
