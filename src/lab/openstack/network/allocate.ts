import { ServiceError } from "../world/service-error.js";
import { formatAddress, parseAddress, parseBlock, within } from "./addresses.js";
import { macDigits } from "./checks.js";
import { conflict, invalidInput } from "./errors.js";
import type { Network } from "./network.js";
import { rangeOf } from "./pools.js";
import type { FixedIp, Port } from "./port.js";
import type { NetworkStore } from "./store.js";
import type { Subnet } from "./subnet.js";
import { isAutoAddressed } from "./subnet-checks.js";

/** The parts of a port that decide its addresses. */
type Addressed = Pick<Port, "id" | "mac_address" | "device_owner">;

/** Takes the addresses that a port requests, or one of each IP version of its network, and one of each SLAAC subnet. */
export function allocate(
  store: NetworkStore,
  network: Network,
  port: Addressed,
  wanted: readonly Partial<FixedIp>[] | undefined,
): FixedIp[] {
  const subnets = network.subnets.map((id) => store.get("subnet", id));
  const automatic = port.device_owner.startsWith("network:router") ? [] : subnets.filter(isAutoAddressed);
  const others = subnets.filter((subnet) => !automatic.includes(subnet));
  const taken: FixedIp[] = [];
  const isPlaced = ({ subnet_id, ip_address }: Partial<FixedIp>) => subnet_id !== undefined || ip_address !== undefined;
  if (wanted?.every(isPlaced) === false) throw invalidInput("IP allocation requires subnet_id or ip_address");
  try {
    if (wanted === undefined)
      for (const version of [4, 6])
        takeAny(
          store,
          network,
          port.id,
          others.filter((each) => each.ip_version === version),
          taken,
        );
    for (const each of wanted ?? []) if (!isAutomatic(each, automatic)) take(store, network, port.id, subnets, each, taken);
    for (const subnet of automatic) takeAutomatic(store, port, subnet, taken);
    return taken;
  } catch (error) {
    for (const { subnet_id, ip_address } of taken) store.addresses.get(subnet_id)?.release(parseAddress(ip_address)?.value ?? 0n);
    throw error;
  }
}

/** Whether a request names a SLAAC subnet, whose address the port gets without a request. */
function isAutomatic({ subnet_id, ip_address }: Partial<FixedIp>, automatic: readonly Subnet[]): boolean {
  const isIn = ({ id, cidr }: Subnet) => (ip_address === undefined ? id === subnet_id : within(cidr, ip_address));
  const subnet = automatic.find(isIn);
  if (subnet === undefined) return false;
  if (ip_address === undefined) return true;
  throw new ServiceError(
    400,
    "AllocationOnAutoAddressSubnet",
    `IPv6 address ${ip_address} cannot be directly assigned to a port on subnet ${subnet.id} as the subnet is configured for automatic addresses`,
  );
}

function takeAutomatic(store: NetworkStore, { id, mac_address }: Addressed, subnet: Subnet, taken: FixedIp[]): void {
  const block = parseBlock(subnet.cidr);
  if (block === undefined) return;
  const value = block.first + interfaceId(mac_address);
  store.addresses.get(subnet.id)?.take(value, id);
  taken.push({ subnet_id: subnet.id, ip_address: formatAddress({ version: 6, value }) });
}

/** Returns the EUI-64 interface identifier of a MAC address. */
function interfaceId(mac: string): bigint {
  const digits = macDigits(mac.toLowerCase()) ?? "";
  return BigInt(`0x${digits.slice(0, 6)}fffe${digits.slice(6)}`) ^ (2n << 56n);
}

function take(store: NetworkStore, network: Network, portId: string, subnets: Subnet[], wanted: Partial<FixedIp>, taken: FixedIp[]): void {
  const { subnet_id, ip_address } = wanted;
  const candidates = subnet_id === undefined ? subnets : subnets.filter(({ id }) => id === subnet_id);
  if (subnet_id !== undefined && candidates.length === 0) {
    store.get("subnet", subnet_id);
    throw new ServiceError(
      400,
      "InvalidInput",
      `Invalid input for operation: Failed to create port on network ${network.id}, because fixed_ips included invalid subnet ${subnet_id}.`,
    );
  }
  if (ip_address === undefined) {
    takeAny(store, network, portId, candidates, taken);
    return;
  }
  const address = parseAddress(ip_address);
  const subnet = candidates.find(({ cidr }) => within(cidr, ip_address));
  const block = subnet === undefined ? undefined : parseBlock(subnet.cidr);
  const isEdge = block?.version === 4 && block.prefixLength < 31 && (address?.value === block.first || address?.value === block.last);
  if (subnet === undefined || address === undefined || isEdge) {
    throw subnet_id === undefined
      ? new ServiceError(
          400,
          "InvalidIpForNetwork",
          `IP address ${ip_address} is not a valid IP for any of the subnets on the specified network.`,
        )
      : new ServiceError(400, "InvalidIpForSubnet", `IP address ${ip_address} is not a valid IP for the specified subnet.`);
  }
  const book = store.addresses.get(subnet.id);
  if (book?.holder(address.value) !== undefined) {
    throw conflict("IpAddressAlreadyAllocated", `IP address ${ip_address} already allocated in subnet ${subnet.id}`);
  }
  book?.take(address.value, portId);
  taken.push({ subnet_id: subnet.id, ip_address: formatAddress(address) });
}

function takeAny(store: NetworkStore, network: Network, portId: string, subnets: readonly Subnet[], taken: FixedIp[]): void {
  for (const subnet of subnets) {
    const book = store.addresses.get(subnet.id);
    const value = book?.next(subnet.allocation_pools.map(rangeOf));
    if (value === undefined) continue;
    book?.take(value, portId);
    taken.push({ subnet_id: subnet.id, ip_address: formatAddress({ version: subnet.ip_version, value }) });
    return;
  }
  if (subnets.length > 0) throw conflict("IpAddressGenerationFailure", `No more IP addresses available on network ${network.id}.`);
}
