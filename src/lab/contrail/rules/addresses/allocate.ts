import { type JsonObject, objectAt, objectsAt, textAt } from "../../../../core/json/value.js";
import { formatAddress, parseAddress } from "../../addresses/ip.js";
import { holds, type Network } from "../../addresses/network.js";
import { badRequest, ControllerError } from "../../world/controller-error.js";
import { joinedName, type StoredObject } from "../../world/stored-object.js";
import type { ContrailWorld } from "../../world/world.js";
import { entriesOf, subnetsOf } from "./network-subnets.js";
import { blockOf } from "./subnet.js";
import type { Range } from "./used-addresses.js";

/** A subnet to allocate from. `scope` is the network or the flat IPAM that its used addresses belong to. */
interface Source {
  readonly scope: string;
  readonly entry: JsonObject;
  readonly network: Network;
  readonly subnetUuid: string;
}

export interface AllocationRequest {
  /** The object that gets the address. */
  readonly owner: string;
  readonly address: string | undefined;
  readonly subnetUuid: string | undefined;
  readonly family: string | undefined;
}

export interface Allocation {
  readonly address: string;
  readonly subnetUuid: string;
}

/**
 * Allocates an address of a network: the requested one, or the first free one. Searches from the top of the range unless the subnet
 * allocates from its start. Gateway, service, network and broadcast addresses are never allocated.
 */
export function allocate(
  world: ContrailWorld,
  network: StoredObject,
  { owner, address, subnetUuid, family }: AllocationRequest,
): Allocation {
  const bits = family === "v6" ? 128 : family === "v4" ? 32 : undefined;
  const sources = [...networkSources(network), ...flatSources(world, network)].filter(
    (source) => (subnetUuid === undefined || source.subnetUuid === subnetUuid) && (bits === undefined || source.network.bits === bits),
  );
  if (address !== undefined) return takeGiven(world, network, sources, owner, address);
  for (const source of sources) {
    const reserved = reservedIn(source);
    for (const range of rangesOf(source)) {
      const free = world.addresses.firstFree(source.scope, range, reserved);
      if (free === undefined) continue;
      world.addresses.take(source.scope, owner, free);
      return { address: formatAddress(free), subnetUuid: source.subnetUuid };
    }
  }
  throw badRequest(`Virtual-Network(${joinedName(network.fqName)}) has exhausted subnet(all)`);
}

/** Releases an object's addresses in a network. */
export function release(world: ContrailWorld, network: StoredObject, owner: string): void {
  world.addresses.free(network.uuid, owner);
  for (const { uuid } of network.references.get("network_ipam_refs") ?? []) world.addresses.free(uuid, owner);
}

function takeGiven(world: ContrailWorld, network: StoredObject, sources: readonly Source[], owner: string, text: string): Allocation {
  const address = parseAddress(text);
  const source = sources.find((each) => holds(each.network, address));
  if (address === undefined || source === undefined) {
    throw badRequest(`Virtual-Network(${joinedName(network.fqName)}) has invalid IP address(${text})`);
  }
  if (!world.addresses.take(source.scope, owner, address)) throw new ControllerError(409, "Ip address already in use");
  return { address: formatAddress(address), subnetUuid: source.subnetUuid };
}

function networkSources(network: StoredObject): Source[] {
  return subnetsOf(network).map((each) => ({ ...each, scope: network.uuid, subnetUuid: textAt(each.entry, "subnet_uuid") ?? "" }));
}

function flatSources(world: ContrailWorld, { references }: StoredObject): Source[] {
  return (references.get("network_ipam_refs") ?? []).flatMap(({ uuid, attr }) => {
    const subnetUuid = entriesOf(attr).find((entry) => blockOf(entry) === undefined)?.subnet_uuid;
    const subnets = objectsAt(objectAt(world.store.get(uuid)?.properties ?? {}, "ipam_subnets") ?? {}, "subnets");
    if (typeof subnetUuid !== "string") return [];
    return subnets.flatMap((entry) => {
      const network = blockOf(entry);
      return network === undefined ? [] : [{ scope: uuid, entry, network, subnetUuid }];
    });
  });
}

function reservedIn({ entry, network }: Source): Set<string> {
  const { bits, first, last } = network;
  const ends = [first, last].map((value) => formatAddress({ bits, value }));
  const services = [textAt(entry, "default_gateway"), textAt(entry, "dns_server_address")].flatMap((text) => text ?? []);
  return new Set([...ends, ...services]);
}

/** The pools, or the complete block if there are no pools. */
function rangesOf({ entry, network }: Source): Range[] {
  const fromStart = entry.addr_from_start === true;
  const pools = objectsAt(entry, "allocation_pools").flatMap((pool) => {
    const [start, end] = [parseAddress(textAt(pool, "start") ?? ""), parseAddress(textAt(pool, "end") ?? "")];
    return start === undefined || end === undefined ? [] : [{ bits: network.bits, first: start.value, last: end.value, fromStart }];
  });
  return pools.length > 0 ? pools : [{ bits: network.bits, first: network.first, last: network.last, fromStart }];
}
