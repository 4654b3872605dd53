import type { JsonObject } from "../world/json.js";
import { isAdmin, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { AddressBook } from "./address-book.js";
import { type Block, formatAddress, formatBlock, overlap, parseAddress, parseBlock, usable } from "./addresses.js";
import { type Attributes, STANDARD } from "./attributes.js";
import {
  type Check,
  canonicalCidr,
  destination,
  emptyIfNull,
  flag,
  integer,
  listOf,
  nameserver,
  nullOr,
  oneOf,
  record,
  storedAddress,
  unique,
  uuid,
} from "./checks.js";
import { badRequest, badResource, conflict, invalidInput, notFound } from "./errors.js";
import { asJson, type Manager } from "./manager.js";
import type { Network } from "./network.js";
import { checkPools, defaultPools } from "./pools.js";
import type { NetworkStore } from "./store.js";
import type { AllocationPool, HostRoute, Subnet } from "./subnet.js";
import { checkSubnet } from "./subnet-checks.js";
import type { SubnetPool, SubnetPools } from "./subnet-pools.js";

/** Prefixes of the device owners that a service type may have. */
const DEVICE_OWNERS = ["network:", "compute:", "baremetal:"];

const serviceTypes: Check = (value) => {
  if (!Array.isArray(value)) throw badRequest("Subnet service types must be a list.");
  const bad = value.find((each) => typeof each !== "string" || !DEVICE_OWNERS.some((prefix) => each.startsWith(prefix)));
  if (bad === undefined) return value;
  throw new ServiceError(
    400,
    "InvalidSubnetServiceType",
    `Subnet service type ${String(bad)} does not correspond to a valid device owner.`,
  );
};

const ipv6Mode = { check: oneOf("slaac", "dhcpv6-stateful", "dhcpv6-stateless"), post: true, fallback: null };

const ATTRIBUTES: Attributes = {
  ...STANDARD,
  network_id: { check: uuid, post: true, required: true },
  ip_version: { check: (value, name) => oneOf(4, 6)(integer(value, name), name), post: true, required: true },
  subnetpool_id: { check: nullOr(uuid), post: true },
  prefixlen: { check: integer, post: true },
  enable_dhcp: { check: flag, post: true, put: true, fallback: true },
  ipv6_ra_mode: ipv6Mode,
  ipv6_address_mode: ipv6Mode,
  gateway_ip: { check: nullOr(storedAddress), post: true, put: true },
  cidr: { check: nullOr(canonicalCidr), post: true },
  allocation_pools: { check: listOf(record({ start: storedAddress, end: storedAddress })), post: true, put: true },
  host_routes: {
    check: emptyIfNull(unique(listOf(record({ destination, nexthop: storedAddress })), "hostroute")),
    post: true,
    put: true,
    fallback: [],
  },
  dns_nameservers: { check: emptyIfNull(unique(listOf(nameserver), "nameserver")), post: true, put: true, fallback: [] },
  segment_id: { check: nullOr(uuid), post: true, put: true },
  service_types: { check: serviceTypes, post: true, put: true, fallback: [] },
};

export class Subnets implements Manager<"subnet"> {
  readonly kind = "subnet";
  readonly plural = "subnets";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;

  readonly #pools: SubnetPools;

  constructor(store: NetworkStore, pools: SubnetPools) {
    this.#store = store;
    this.#pools = pools;
  }

  create(values: JsonObject, requester: Requester): Subnet {
    const network = this.#store.objects.network.get(String(values.network_id));
    const owner = network !== undefined && (isAdmin(requester) || network.project_id === requester.projectId);
    if (
      network === undefined ||
      (!owner && !network.shared && !network["router:external"] && !this.#store.isGiven(network.id, requester.projectId))
    ) {
      throw notFound("network", String(values.network_id));
    }
    if (!owner) throw new ServiceError(403, "HTTPForbidden", "Access was denied to this resource.");
    const pool = this.#pool(values, requester);
    if (typeof values.cidr === "string" && pool === undefined && values.prefixlen !== undefined)
      throw badResource("subnets", "cidr and prefixlen must not be supplied together");
    if (values.cidr === null && pool === undefined)
      throw new ServiceError(500, "HTTPInternalServerError", "Request Failed: internal server error while processing your request.");
    if (typeof values.cidr !== "string" && pool === undefined) {
      throw badResource("subnets", "a subnetpool must be specified in the absence of a cidr");
    }
    this.#store.quotas.demand("subnet", String(values.project_id));
    this.#refuseOtherPool(network, pool?.id ?? null, Number(values.ip_version));
    const block = this.#block(pool === undefined ? String(values.cidr) : this.#pools.cut(pool, values), Number(values.ip_version));
    this.#refuseOverlap(block, network.subnets, network.id);
    // A subnet with an automatically chosen network of a pool always gets a gateway, even if the request sets it to null.
    const isAny = pool !== undefined && typeof values.cidr !== "string";
    const isGiven = "gateway_ip" in values && !(isAny && values.gateway_ip === null);
    const gateway = isGiven ? (values.gateway_ip as string | null) : defaultGateway(block);
    const checked = {
      enable_dhcp: values.enable_dhcp === true,
      gateway_ip: gateway,
      ipv6_ra_mode: values.ipv6_ra_mode as string | null,
      ipv6_address_mode: values.ipv6_address_mode as string | null,
      host_routes: values.host_routes as unknown as HostRoute[],
      dns_nameservers: values.dns_nameservers as string[],
    };
    checkSubnet(checked, block);
    const given = (values.allocation_pools ?? []) as unknown as AllocationPool[];
    const pools = given.length > 0 ? given : defaultPools(block, gateway);
    checkPools(pools, block, gateway);
    const subnet = this.#store.add("subnet", {
      ...this.#store.standard(values, (values.service_types as string[]).length > 0 ? 1 : 0),
      network_id: network.id,
      ip_version: block.version,
      subnetpool_id: pool?.id ?? null,
      ...checked,
      cidr: formatBlock(block),
      allocation_pools: pools,
      service_types: values.service_types as string[],
    });
    this.#store.addresses.set(subnet.id, new AddressBook());
    this.#store.change("network", network, { subnets: [...network.subnets, subnet.id] });
    return subnet;
  }

  update(subnet: Subnet, values: JsonObject): void {
    const block = this.#block(subnet.cidr, subnet.ip_version);
    const gateway = values.gateway_ip === undefined ? subnet.gateway_ip : (values.gateway_ip as string | null);
    const pools = (values.allocation_pools as unknown as AllocationPool[] | null | undefined) ?? subnet.allocation_pools;
    const { segment_id: _segment, ...changes } = values;
    checkSubnet({ ...subnet, ...(changes as Partial<Subnet>), gateway_ip: gateway }, block, subnet);
    if (gateway !== subnet.gateway_ip) this.#refuseGatewayInUse(subnet);
    checkPools(pools, block, gateway);
    this.#store.addresses.get(subnet.id)?.rewind();
    this.#store.change("subnet", subnet, { ...(changes as Partial<Subnet>), allocation_pools: pools });
  }

  remove(subnet: Subnet): void {
    if (this.#store.addresses.get(subnet.id)?.holders.some((id) => this.#store.objects.port.has(id)) === true) {
      throw conflict(
        "SubnetInUse",
        `Unable to complete operation on subnet ${subnet.id}: One or more ports have an IP allocation from this subnet.`,
      );
    }
    this.#store.addresses.delete(subnet.id);
    this.#store.remove("subnet", subnet);
    const network = this.#store.get("network", subnet.network_id);
    this.#store.change("network", network, { subnets: network.subnets.filter((id) => id !== subnet.id) });
  }

  shared({ network_id }: Subnet): boolean {
    return this.#store.objects.network.get(network_id)?.shared === true;
  }

  show(subnet: Subnet): JsonObject {
    return asJson(subnet);
  }

  #pool({ subnetpool_id: id }: JsonObject, requester: Requester): SubnetPool | undefined {
    if (typeof id !== "string") return undefined;
    const pool = this.#store.get("subnetpool", id);
    if (isAdmin(requester) || pool.shared || this.#store.isGiven(id, requester.projectId) || pool.project_id === requester.projectId)
      return pool;
    throw notFound("subnetpool", id);
  }

  /** Subnets of one IP version in one network must all come from the same pool, or all from no pool. */
  #refuseOtherPool({ subnets }: Network, pool: string | null, version: number): void {
    const others = subnets.map((id) => this.#store.get("subnet", id)).filter(({ ip_version }) => ip_version === version);
    if (others.every(({ subnetpool_id }) => subnetpool_id === pool)) return;
    const words = "Subnets hosted on the same network must be allocated from the same subnet pool.";
    throw new ServiceError(400, "NetworkSubnetPoolAffinityError", words);
  }

  #block(cidr: string, version: number): Block {
    const block = parseBlock(cidr);
    if (block?.version !== version) throw invalidInput(`cidr '${cidr}' does not match the ip_version '${version}'`);
    return block;
  }

  #refuseOverlap(block: Block, others: readonly string[], networkId: string): void {
    for (const id of others) {
      const other = parseBlock(this.#store.get("subnet", id).cidr);
      if (other?.version === block.version && overlap(block, other)) {
        throw invalidInput(`Requested subnet with cidr: ${formatBlock(block)} for network: ${networkId} overlaps with another subnet`);
      }
    }
  }

  #refuseGatewayInUse({ id, gateway_ip }: Subnet): void {
    const gateway = gateway_ip === null ? undefined : parseAddress(gateway_ip)?.value;
    const holder = gateway === undefined ? undefined : this.#store.addresses.get(id)?.holder(gateway);
    if (holder !== undefined) {
      throw conflict("GatewayIpInUse", `Current gateway ip ${gateway_ip} already in use by port ${holder}. Unable to update.`);
    }
  }
}

/** Returns the first host address of an IPv4 network, or the subnet-router address of an IPv6 network. */
function defaultGateway(block: Block): string {
  return formatAddress({ ...block, value: block.version === 6 ? block.first : usable(block).first });
}
