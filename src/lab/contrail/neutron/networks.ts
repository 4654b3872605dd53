import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import { cidrOf } from "../addresses/network.js";
import { subnetsOf } from "../rules/addresses/network-subnets.js";
import { ControllerError } from "../world/controller-error.js";
import { joinedName, nameOf, type StoredObject } from "../world/stored-object.js";
import { dashed, undashed } from "../world/uuid.js";
import type { ContrailWorld } from "../world/world.js";
import { NeutronError } from "./neutron-error.js";
import type { NeutronContext, NeutronPlugin, NeutronResource } from "./neutron-plugin.js";

const TYPE = "virtual-network";

/** Networks of the network service. Each is a virtual network with other field names. */
export class NeutronNetworks implements NeutronResource {
  readonly #world: ContrailWorld;
  readonly #plugin: NeutronPlugin;

  constructor(world: ContrailWorld, plugin: NeutronPlugin) {
    this.#world = world;
    this.#plugin = plugin;
  }

  create({ tenantId }: NeutronContext, document: JsonObject): JsonObject {
    const tenant = textAt(document, "tenant_id") ?? textAt(document, "project_id") ?? tenantId;
    const project = this.#plugin.project(tenant);
    const uuid = dashed(textAt(document, "id") ?? this.#world.newUuid());
    const name = textAt(document, "name") ?? "";
    const network = this.#world.create(TYPE, {
      fq_name: this.#freeName(project, name === "" ? uuid : name, uuid),
      parent_type: "project",
      uuid,
      display_name: name,
      is_shared: document.shared ?? false,
      router_external: document["router:external"] ?? false,
      id_perms: { enable: document.admin_state_up ?? true },
      perms2: { owner: undashed(project.uuid) },
      ...providerProperties(document),
      ...("mtu" in document ? { mtu: document.mtu ?? null } : {}),
    });
    return { ...this.#document(network), created_at: null, updated_at: null };
  }

  /** The first network of a name keeps it. A duplicate in the same tenant gets its uuid as a suffix. */
  #freeName(project: StoredObject, name: string, uuid: string): string[] {
    const fqName = [...project.fqName, name.replaceAll(":", "_")];
    return this.#world.store.named(TYPE, fqName) === undefined ? fqName : [...project.fqName, `${fqName.at(-1) ?? ""}-${uuid}`];
  }

  read(id: string): JsonObject {
    return this.#document(this.#network(id));
  }

  /** Lists the tenant's own networks, then other visible ones: shared and external networks, or all for an administrator. */
  readAll({ tenantId, admin }: NeutronContext): JsonObject[] {
    const all = [...this.#world.store.ofType(TYPE)].sort((a, b) => (joinedName(a.fqName) < joinedName(b.fqName) ? -1 : 1));
    const own = all.filter(({ parent }) => undashed(parent?.uuid ?? "") === tenantId);
    const open = ({ properties }: StoredObject): boolean => admin || properties.is_shared === true || properties.router_external === true;
    const others = all.filter((each) => undashed(each.parent?.uuid ?? "") !== tenantId && open(each));
    return [...own, ...others].map((each) => this.#document(each));
  }

  /** A new name only changes the display name. The controller's own name stays. */
  update(id: string, document: JsonObject): JsonObject {
    const network = this.#network(id);
    const body: JsonObject = {};
    if ("name" in document) body.display_name = document.name ?? "";
    if ("shared" in document) body.is_shared = document.shared ?? false;
    if ("router:external" in document) body.router_external = document["router:external"] ?? false;
    if ("admin_state_up" in document) body.id_perms = { enable: document.admin_state_up ?? true };
    if ("mtu" in document) body.mtu = document.mtu ?? null;
    this.#world.update(TYPE, network.uuid, body);
    return this.#document(network);
  }

  delete(id: string): void {
    const network = this.#network(id);
    try {
      this.#world.delete(TYPE, network.uuid);
    } catch (error) {
      if (error instanceof ControllerError && error.status === 409) throw new NeutronError("NetworkInUse", { net_id: id });
      throw error;
    }
  }

  #network(id: string): StoredObject {
    const network = this.#world.store.get(id);
    if (network?.type !== TYPE) throw new NeutronError("NetworkNotFound", { net_id: id });
    return network;
  }

  #document(network: StoredObject): JsonObject {
    const { properties } = network;
    const perms = objectAt(properties, "id_perms") ?? {};
    const subnets = subnetsOf(network);
    const tenant = undashed(network.parent?.uuid ?? "");
    const ipams = subnets.map(({ network: block, ipam }) => ({
      subnet_cidr: cidrOf(block),
      ipam_fq_name: [...(this.#world.store.get(ipam)?.fqName ?? [])],
    }));
    return {
      id: network.uuid,
      name: textAt(properties, "display_name") ?? nameOf(network),
      tenant_id: tenant,
      project_id: tenant,
      admin_state_up: perms.enable ?? true,
      shared: properties.is_shared === true || objectsAt(objectAt(properties, "perms2") ?? {}, "share").length > 0,
      status: perms.enable === false ? "DOWN" : "ACTIVE",
      "router:external": properties.router_external === true,
      mtu: properties.mtu ?? null,
      subnets: subnets.map(({ entry }) => textAt(entry, "subnet_uuid") ?? ""),
      fq_name: [...network.fqName],
      ...(ipams.length > 0 ? { subnet_ipam: ipams } : {}),
      port_security_enabled: properties.port_security_enabled ?? true,
      created_at: perms.created ?? null,
      updated_at: perms.last_modified ?? null,
      ...providerView(properties),
    };
  }
}

function providerProperties(document: JsonObject): JsonObject {
  const [physical, segment] = [document["provider:physical_network"] ?? null, document["provider:segmentation_id"] ?? null];
  if (physical === null && segment === null) return {};
  return { provider_properties: { physical_network: physical, segmentation_id: segment } };
}

function providerView(properties: JsonObject): JsonObject {
  const provider = objectAt(properties, "provider_properties");
  if (provider === undefined) return {};
  return { "provider:physical_network": provider.physical_network ?? null, "provider:segmentation_id": provider.segmentation_id ?? null };
}
