import { isObject, type JsonObject, objectsAt, textAt } from "../../../../core/json/value.js";
import { cidrOf, firstOverlap, hostAt, type Network } from "../../addresses/network.js";
import { badRequest, ControllerError, internalError } from "../../world/controller-error.js";
import { joinedName, type Reference, type StoredObject } from "../../world/stored-object.js";
import type { ContrailWorld } from "../../world/world.js";
import type { DraftReference } from "../type-rules.js";
import { allocationUnit, blockOf, checkSubnet, defaultGateway, settleSubnet } from "./subnet.js";

const FIELD = "network_ipam_refs";

/** An entry of a network's `ipam_subnets` with its block and its IPAM. */
export interface PlacedSubnet {
  readonly entry: JsonObject;
  readonly network: Network;
  readonly ipam: string;
}

/** Returns the subnets of a network that have their own block. */
export function subnetsOf({ references }: { readonly references: ReadonlyMap<string, readonly Reference[]> }): PlacedSubnet[] {
  return (references.get(FIELD) ?? []).flatMap(({ attr, uuid }) =>
    entriesOf(attr).flatMap((entry) => {
      const network = blockOf(entry);
      return network === undefined ? [] : [{ entry, network, ipam: uuid }];
    }),
  );
}

export function entriesOf(attr: Reference["attr"]): JsonObject[] {
  return isObject(attr) ? objectsAt(attr, "ipam_subnets") : [];
}

/**
 * Completes the `network_ipam_refs` of a request. An entry without `subnet_uuid` gets a new one, even for an existing block. So a client
 * that omits them changes the id of every subnet (docs/contributing/devices/contrail.md#updates).
 */
export function settleNetworkSubnets(
  world: ContrailWorld,
  fqName: readonly string[],
  references: readonly DraftReference[],
  current: StoredObject | undefined,
): void {
  const owner = joinedName(fqName);
  const before = new Map((current === undefined ? [] : subnetsOf(current)).map((each) => [cidrOf(each.network), each]));
  const networks: Network[] = [];
  for (const { attr, byUuid } of references) {
    if (attr === null) throw internalError("TypeError: 'NoneType' object is not subscriptable");
    for (const entry of entriesOf(attr)) {
      const network = blockOf(entry);
      if (network === undefined) continue;
      networks.push(network);
      const former = before.get(cidrOf(network))?.entry;
      checkSubnet(entry, network, owner);
      if (former !== undefined) checkKeptSubnet(entry, former, network, owner, byUuid);
      entry.subnet_uuid ??= world.newUuid();
      settleSubnet(entry, network);
    }
  }
  refuseOverlap(networks);
  if (current !== undefined) refuseLossOfAddresses(world, current, before, networks);
}

/** The gateway and the allocation unit of a subnet cannot change, and its pools cannot be removed. */
function checkKeptSubnet(entry: JsonObject, former: JsonObject, network: Network, owner: string, byUuid: boolean): void {
  const cidr = cidrOf(network);
  const was = textAt(former, "default_gateway") ?? "";
  const given = textAt(entry, "default_gateway");
  if ((given ?? defaultGateway(network, entry)) !== was) {
    // The check with a proper message is skipped if the reference has no uuid, or if the gateway is the default.
    const unnoticed = !byUuid || (given !== undefined && (was === hostAt(network, 1) || was === hostAt(network, -1)));
    if (unnoticed) throw internalError(`Virtual-Network(${owner}) has invalid subnet(${cidr})`);
    throw badRequest(`default gateway change is not allowed orig:${was}, new: ${given ?? "None"}`);
  }
  const pools = objectsAt(entry, "allocation_pools").map(rangeText);
  const lost = objectsAt(former, "allocation_pools")
    .map(rangeText)
    .filter((each) => !pools.includes(each));
  if (lost.length > 0) throw internalError(`Virtual-Network(${owner}) has invalid subnet(${cidr}:allocation pool delete is not allowed)`);
  if (allocationUnit(entry) !== allocationUnit(former)) throw internalError(`Virtual-Network(${owner}) has invalid subnet(${cidr})`);
}

function rangeText(pool: JsonObject): string {
  return `${textAt(pool, "start")}-${textAt(pool, "end")}`;
}

function refuseOverlap(networks: readonly Network[]): void {
  const overlap = firstOverlap(networks);
  if (overlap === undefined) return;
  throw badRequest(`Overlapping addresses: [${overlap.map((network) => `IPNetwork('${cidrOf(network)}')`).join(", ")}]`);
}

/** A block with used addresses cannot be removed or resized. */
function refuseLossOfAddresses(
  world: ContrailWorld,
  { uuid }: StoredObject,
  before: ReadonlyMap<string, PlacedSubnet>,
  networks: readonly Network[],
): void {
  const kept = new Set(networks.map(cidrOf));
  for (const [cidr, { network }] of before) {
    const address = kept.has(cidr) ? undefined : world.addresses.inUse(uuid, network);
    if (address !== undefined) throw new ControllerError(409, `Cannot Delete IP Block, IP(${address}) is in use`);
  }
}
