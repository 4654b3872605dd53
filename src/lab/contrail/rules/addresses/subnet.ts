import { type JsonObject, objectAt, objectsAt, textAt } from "../../../../core/json/value.js";
import { parseAddress } from "../../addresses/ip.js";
import { cidrOf, holds, hostAt, type Network, networkOf } from "../../addresses/network.js";
import { ControllerError, internalError } from "../../world/controller-error.js";

const UNSPECIFIED = new Set(["0.0.0.0", "::"]);

/** Returns the block of an `ipam_subnets` entry. Returns undefined for the entry of a flat IPAM, which has only a `subnet_uuid`. */
export function blockOf(entry: JsonObject): Network | undefined {
  const subnet = objectAt(entry, "subnet");
  const prefix = subnet === undefined ? undefined : textAt(subnet, "ip_prefix");
  return prefix === undefined ? undefined : networkOf(prefix, Number(subnet?.ip_prefix_len));
}

/** The default gateway: the last host, or the first one if addresses are allocated from the start. */
export function defaultGateway(network: Network, entry: JsonObject): string {
  return entry.addr_from_start === true ? hostAt(network, 1) : hostAt(network, -1);
}

/** Writes the block in its canonical form and sets the default gateway and service address. */
export function settleSubnet(entry: JsonObject, network: Network): void {
  const subnet = objectAt(entry, "subnet");
  if (subnet !== undefined) Object.assign(subnet, { ip_prefix: cidrOf(network).split("/")[0] ?? "", ip_prefix_len: network.length });
  entry.default_gateway ??= defaultGateway(network, entry);
  entry.dns_server_address ??= entry.addr_from_start === true ? hostAt(network, 2) : hostAt(network, -2);
}

/** Refuses invalid values: a gateway or pool outside the block, or too small a block. `owner` is `default-domain:demo:net`. */
export function checkSubnet(entry: JsonObject, network: Network, owner: string): void {
  const cidr = cidrOf(network);
  const gateway = textAt(entry, "default_gateway");
  if (gateway !== undefined && !UNSPECIFIED.has(gateway) && !holds(network, parseAddress(gateway))) {
    throw new ControllerError(409, `gateway Ip ${gateway} out of cidr: ${cidr}`);
  }
  for (const pool of objectsAt(entry, "allocation_pools")) {
    const [start, end] = [textAt(pool, "start") ?? "", textAt(pool, "end") ?? ""];
    if (!holds(network, parseAddress(start)) || !holds(network, parseAddress(end))) {
      throw new ControllerError(409, `allocation pool start:${start}, end:${end} out of cidr:${cidr}`);
    }
  }
  const unit = allocationUnit(entry);
  const reason = unitFlaw(entry, network, unit);
  if (reason !== undefined) {
    throw internalError(`Virtual-Network(${owner}:${cidr}) has invalid alloc_unit(${unit}) in subnet(${cidr}) reason: ${reason}`);
  }
}

export function allocationUnit({ alloc_unit: unit }: JsonObject): number {
  return Number(unit ?? 1);
}

function unitFlaw(entry: JsonObject, network: Network, unit: number): string | undefined {
  if (network.last - network.first <= BigInt(unit)) return "Pool range<=block_alloc_unit";
  for (const pool of objectsAt(entry, "allocation_pools")) {
    const start = parseAddress(textAt(pool, "start") ?? "");
    if (start !== undefined && unit > 1 && start.value % BigInt(unit) !== 0n) return `Pool start ${start.value} not aligned`;
  }
  return undefined;
}
