import { type JsonObject, objectAt, textAt, texts } from "../../../core/json/value.js";
import { badRequest, ControllerError, internalError } from "../world/controller-error.js";
import type { Reference, StoredObject } from "../world/stored-object.js";
import { nameOf } from "../world/stored-object.js";
import type { ContrailWorld } from "../world/world.js";
import { type AllocationRequest, allocate, release } from "./addresses/allocate.js";
import { entriesOf } from "./addresses/network-subnets.js";
import type { DraftReference, TypeRules } from "./type-rules.js";

const NO_FORWARDING_LIMITS = {
  direction: "both",
  vlan_tag: null,
  src_mac: null,
  dst_mac: null,
  mpls_label: null,
  service_chain_address: null,
  ipv6_service_chain_address: null,
  protocol: null,
};

/** Ports get a MAC address derived from their uuid and join the routing instance of their network. */
export const virtualMachineInterfaceRules: TypeRules = {
  beforeCreate(world, { uuid, properties, references }) {
    properties.virtual_machine_interface_mac_addresses ??= { mac_address: [macOf(uuid)] };
    const instances = (references.get("virtual_network_refs") ?? []).flatMap((reference) => routingInstanceOf(world, reference) ?? []);
    if (instances.length > 0) references.set("routing_instance_refs", instances);
  },
};

function macOf(uuid: string): string {
  const digits = uuid.replaceAll("-", "").slice(0, 10);
  return ["02", ...(digits.match(/../g) ?? [])].join(":");
}

function routingInstanceOf(world: ContrailWorld, { uuid }: Reference): DraftReference | undefined {
  const network = world.store.get(uuid);
  const instance = network === undefined ? undefined : world.store.named("routing-instance", [...network.fqName, nameOf(network)]);
  if (instance === undefined) return undefined;
  return { type: "routing-instance", uuid: instance.uuid, attr: { ...NO_FORWARDING_LIMITS }, byUuid: true };
}

/** Address of a port, allocated from the network that it refers to. */
export const instanceIpRules: TypeRules = {
  beforeCreate(world, { uuid, properties, references }) {
    const network = networkOf(world, references);
    if (network === undefined) throw badRequest("Instance IP must have a reference to a virtual network");
    const { address, subnetUuid } = allocate(world, network, {
      owner: uuid,
      address: textAt(properties, "instance_ip_address"),
      subnetUuid: textAt(properties, "subnet_uuid"),
      family: textAt(properties, "instance_ip_family"),
    });
    properties.instance_ip_address = address;
    properties.subnet_uuid = subnetUuid;
  },
  beforeUpdate(_, object, { properties }) {
    const address = properties.instance_ip_address;
    if (address !== undefined && address !== object.properties.instance_ip_address)
      throw badRequest("Instance IP Address can not be changed");
  },
  afterDelete(world, { uuid, references }) {
    const network = networkOf(world, references);
    if (network !== undefined) release(world, network, uuid);
  },
};

function networkOf(world: ContrailWorld, references: ReadonlyMap<string, readonly Reference[]>): StoredObject | undefined {
  const [reference] = references.get("virtual_network_refs") ?? [];
  return reference === undefined ? undefined : world.store.get(reference.uuid);
}

/** A pool may be limited to some subnets of its network. These subnets must exist. */
export const floatingIpPoolRules: TypeRules = {
  beforeCreate(world, { parent, properties }) {
    const network = parent === undefined ? undefined : world.store.get(parent.uuid);
    const entries = (network?.references.get("network_ipam_refs") ?? []).flatMap(({ attr }) => entriesOf(attr));
    const missing = subnetsOf(properties).find((uuid) => !entries.some((entry) => entry.subnet_uuid === uuid));
    if (missing !== undefined) throw badRequest(`Subnet ${missing} was not found in virtual-network ${network?.uuid}`);
  },
};

function subnetsOf(pool: JsonObject): string[] {
  return texts(objectAt(pool, "floating_ip_pool_subnets")?.subnet_uuid) ?? [];
}

/** From the first of the pool's subnets with a free address, or from any subnet of the network if the pool names none. */
function allocateFrom(
  world: ContrailWorld,
  network: StoredObject,
  subnets: readonly string[],
  request: Omit<AllocationRequest, "subnetUuid">,
): string {
  for (const subnetUuid of subnets.length === 0 ? [undefined] : subnets) {
    try {
      return allocate(world, network, { ...request, subnetUuid }).address;
    } catch (error) {
      if (error instanceof ControllerError && error.status === 409) throw new ControllerError(409, "IP address already in use");
      if (subnets.length === 0) throw error;
    }
  }
  // The controller's own message for an exhausted pool.
  throw internalError("'AddrMgmt' object has no attribute 'AddrMgmtSubnetExhausted'");
}

/** An address from the network of its pool. Without a project reference, it belongs to the project in its name. */
export const floatingIpRules: TypeRules = {
  beforeCreate(world, { uuid, fqName, parent, properties, references }) {
    const network = parent === undefined ? undefined : poolNetwork(world, parent);
    if (network === undefined) return;
    const project = world.store.named("project", fqName.slice(0, 2));
    if (project !== undefined && (references.get("project_refs") ?? []).length === 0)
      references.set("project_refs", [{ type: project.type, uuid: project.uuid, attr: null, byUuid: true }]);
    properties.floating_ip_address = allocateFrom(world, network, subnetsOf(parent?.properties ?? {}), {
      owner: uuid,
      address: textAt(properties, "floating_ip_address"),
      family: textAt(properties, "floating_ip_address_family"),
    });
  },
  afterDelete(world, { uuid, parent }) {
    const pool = parent?.uuid === undefined ? undefined : world.store.get(parent.uuid);
    const network = pool === undefined ? undefined : poolNetwork(world, pool);
    if (network !== undefined) release(world, network, uuid);
  },
};

function poolNetwork(world: ContrailWorld, { type, parent }: StoredObject): StoredObject | undefined {
  return type === "floating-ip-pool" && parent?.uuid !== undefined ? world.store.get(parent.uuid) : undefined;
}
