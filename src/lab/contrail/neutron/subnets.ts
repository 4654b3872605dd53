import { copy, type Json, type JsonObject, objectAt, objectsAt, textAt, texts } from "../../../core/json/value.js";
import { cidrOf, hostAt, parseNetwork } from "../addresses/network.js";
import { entriesOf, type PlacedSubnet, subnetsOf } from "../rules/addresses/network-subnets.js";
import { ControllerError } from "../world/controller-error.js";
import type { StoredObject } from "../world/stored-object.js";
import { undashed } from "../world/uuid.js";
import type { ContrailWorld } from "../world/world.js";
import { NeutronError, neutronBadRequest } from "./neutron-error.js";
import type { NeutronContext, NeutronResource } from "./neutron-plugin.js";
import { poolsOf, routesOf, subnetEntry, toDhcpOptions, toHostRoutes } from "./subnet-entry.js";

const NETWORK = "virtual-network";
const DEFAULT_IPAM = ["default-domain", "default-project", "default-network-ipam"];

interface Found extends PlacedSubnet {
  readonly owner: StoredObject;
}

/** Subnets of the network service: entries of a virtual network's `network_ipam_refs`. */
export class NeutronSubnets implements NeutronResource {
  readonly #world: ContrailWorld;

  constructor(world: ContrailWorld) {
    this.#world = world;
  }

  create(_: NeutronContext, document: JsonObject): JsonObject {
    const networkId = textAt(document, "network_id") ?? "";
    const network = this.#world.store.get(networkId);
    if (network?.type !== NETWORK) throw new NeutronError("NetworkNotFound", { net_id: networkId });
    const block = parseNetwork(textAt(document, "cidr") ?? "");
    if (block === undefined) throw neutronBadRequest("subnet", `Invalid CIDR ${textAt(document, "cidr") ?? ""}`);
    const id = textAt(document, "id") ?? this.#world.newUuid();
    this.#rewrite(network, (ipam, entries) =>
      ipam === this.#ipam() ? [...entries, subnetEntry(document, block, id, this.#world.timestamps.next())] : entries,
    );
    return this.read(id);
  }

  read(id: string): JsonObject {
    return this.#document(this.#find(id));
  }

  readAll({ tenantId, admin }: NeutronContext): JsonObject[] {
    return [...this.#world.store.ofType(NETWORK)]
      .filter(({ parent, properties }) => admin || undashed(parent?.uuid ?? "") === tenantId || properties.is_shared === true)
      .flatMap((owner) => subnetsOf(owner).map((each) => this.#document({ ...each, owner })));
  }

  update(id: string, document: JsonObject): JsonObject {
    const { owner } = this.#find(id);
    if ("gateway_ip" in document) throw neutronBadRequest("subnet", "update of gateway is not supported");
    if ("allocation_pools" in document) throw neutronBadRequest("subnet", "update of allocation_pools is not allowed");
    this.#change(owner, id, (entry) => {
      if ("name" in document) entry.subnet_name = document.name ?? "";
      if ("enable_dhcp" in document) entry.enable_dhcp = document.enable_dhcp ?? true;
      if ("dns_nameservers" in document) entry.dhcp_option_list = toDhcpOptions(document.dns_nameservers);
      if ("host_routes" in document) entry.host_routes = toHostRoutes(objectsAt(document, "host_routes"));
      entry.last_modified = this.#world.timestamps.next();
      return [entry];
    });
    return this.read(id);
  }

  delete(id: string): void {
    const { owner } = this.#find(id);
    try {
      this.#change(owner, id, () => []);
    } catch (error) {
      if (error instanceof ControllerError && error.status === 409) throw new NeutronError("SubnetInUse", { subnet_id: id });
      throw error;
    }
  }

  #change(owner: StoredObject, id: string, edit: (entry: JsonObject) => JsonObject[]): void {
    this.#rewrite(owner, (_, entries) => entries.flatMap((entry) => (entry.subnet_uuid === id ? edit(entry) : [entry])));
  }

  /** Reads, edits and writes all subnets of a network with their ids, so that they keep their ids. */
  #rewrite(network: StoredObject, edit: (ipam: string, entries: JsonObject[]) => JsonObject[]): void {
    const references = [...(network.references.get("network_ipam_refs") ?? [])];
    if (!references.some(({ uuid }) => uuid === this.#ipam())) {
      references.push({ type: "network-ipam", uuid: this.#ipam(), attr: { ipam_subnets: [], host_routes: null } });
    }
    const written = references.map(({ uuid, attr }) => {
      const settled = copy(attr) as JsonObject;
      return { uuid, attr: { ...settled, ipam_subnets: edit(uuid, entriesOf(settled)) } };
    });
    const kept: Json[] = written.filter(({ attr }) => attr.ipam_subnets.length > 0);
    this.#world.update(NETWORK, network.uuid, { network_ipam_refs: kept });
  }

  #ipam(): string {
    return this.#world.store.named("network-ipam", DEFAULT_IPAM)?.uuid ?? "";
  }

  /** Searches the key-value table first, like the plugin. A subnet without a row is not found, even if its network contains it. */
  #find(id: string): Found {
    const [networkId = ""] = this.#world.keyValues.get(id)?.split(" ") ?? [];
    const owner = this.#world.store.get(networkId);
    const placed = owner === undefined ? undefined : subnetsOf(owner).find(({ entry }) => entry.subnet_uuid === id);
    if (owner === undefined || placed === undefined) throw new NeutronError("SubnetNotFound", { subnet_id: id });
    return { ...placed, owner };
  }

  #document({ entry, network, owner }: Found): JsonObject {
    const gateway = textAt(entry, "default_gateway");
    const nameservers = nameserversOf(entry);
    const pools = poolsOf(entry);
    const first = gateway === hostAt(network, 1) ? hostAt(network, 2) : hostAt(network, 1);
    return {
      id: entry.subnet_uuid ?? null,
      name: textAt(entry, "subnet_name") ?? "",
      tenant_id: undashed(owner.parent?.uuid ?? ""),
      network_id: owner.uuid,
      ip_version: network.bits === 32 ? 4 : 6,
      cidr: cidrOf(network),
      allocation_pools: pools.length > 0 ? pools : [{ start: first, end: hostAt(network, -1) }],
      gateway_ip: gateway === "0.0.0.0" || gateway === "::" ? null : (gateway ?? null),
      enable_dhcp: entry.enable_dhcp ?? true,
      ipv6_ra_mode: null,
      ipv6_address_mode: null,
      dns_nameservers: nameservers,
      host_routes: routesOf(entry),
      shared: owner.properties.is_shared === true,
      created_at: entry.created ?? null,
      updated_at: entry.last_modified ?? null,
      ...(nameservers.length === 0 ? { dns_server_address: entry.dns_server_address ?? null } : {}),
      tags: [],
    };
  }
}

/** Name servers are in DHCP option 6, separated by spaces, not in `dns_nameservers`. */
function nameserversOf(entry: JsonObject): string[] {
  const options = objectsAt(objectAt(entry, "dhcp_option_list") ?? {}, "dhcp_option");
  const value = options.find((option) => option.dhcp_option_name === "6")?.dhcp_option_value;
  return typeof value === "string" ? value.split(" ").filter((each) => each !== "") : (texts(entry.dns_nameservers) ?? []);
}
