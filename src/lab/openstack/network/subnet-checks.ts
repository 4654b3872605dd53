import { ServiceError } from "../world/service-error.js";
import { type Block, overlap, parseAddress, parseBlock } from "./addresses.js";
import { invalidInput } from "./errors.js";
import type { HostRoute, Subnet } from "./subnet.js";

/** Values of a subnet that can be invalid in combination. */
type Checked = Pick<Subnet, "enable_dhcp" | "gateway_ip" | "dns_nameservers" | "host_routes" | "ipv6_ra_mode" | "ipv6_address_mode">;

const MOST_NAMESERVERS = 5;
const MOST_ROUTES = 20;
const MULTICAST = ["224.0.0.0/4", "ff00::/8"];
const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/** Returns whether ports of a subnet get an address derived from their MAC address. */
export function isAutoAddressed({ ipv6_ra_mode, ipv6_address_mode }: Pick<Subnet, "ipv6_ra_mode" | "ipv6_address_mode">): boolean {
  return [ipv6_ra_mode, ipv6_address_mode].some((mode) => mode === "slaac" || mode === "dhcpv6-stateless");
}

/**
 * Refuses the values that Neutron refuses in `_validate_subnet`, in the same order.
 * @param before the subnet that an update changes
 */
export function checkSubnet(values: Checked, block: Block, before?: Subnet): void {
  if (values.enable_dhcp && before?.enable_dhcp !== true) checkDhcp(block);
  checkGateway(values.gateway_ip, block);
  checkNameservers(values.dns_nameservers, block, before?.id ?? "new subnet");
  checkRoutes(values.host_routes, block, before?.id ?? "new subnet");
  checkModes(values, block, before);
}

function checkDhcp(block: Block): void {
  const isIn = (networks: readonly string[]) =>
    networks.some((text) => {
      const other = parseBlock(text);
      return other?.version === block.version && other.prefixLength <= block.prefixLength && overlap(other, block);
    });
  if (block.prefixLength > (block.version === 4 ? 30 : 126))
    throw invalidInput("Subnet has a prefix length that is incompatible with DHCP service enabled");
  if (isIn(MULTICAST)) throw invalidInput("Multicast IP subnet is not supported if enable_dhcp is True");
  if (isIn(LOOPBACK)) throw invalidInput("Loopback IP subnet is not supported if enable_dhcp is True");
  if (block.version === 4 && block.first === 0n)
    throw invalidInput("First IP '0.0.0.0' of network is not supported if enable_dhcp is True.");
}

function checkGateway(gateway: string | null, block: Block): void {
  if (gateway === null) return;
  checkVersion(gateway, block, "gateway_ip");
  const value = parseAddress(gateway)?.value;
  if (block.version === 4 && (value === block.first || value === block.last)) throw invalidInput("Gateway is not valid on subnet");
}

function checkNameservers(servers: readonly string[], block: Block, subnet: string): void {
  if (servers.length > MOST_NAMESERVERS)
    throw new ServiceError(
      400,
      "DNSNameServersExhausted",
      `Unable to complete operation for ${subnet}. The number of DNS nameservers exceeds the limit ${MOST_NAMESERVERS}.`,
    );
  for (const server of servers) checkVersion(server, block, "dns_nameserver");
}

function checkRoutes(routes: readonly HostRoute[], block: Block, subnet: string): void {
  if (routes.length > MOST_ROUTES)
    throw new ServiceError(
      400,
      "HostRoutesExhausted",
      `Unable to complete operation for ${subnet}. The number of host routes exceeds the limit ${MOST_ROUTES}.`,
    );
  for (const { destination, nexthop } of routes) {
    checkVersion(nexthop, block, "nexthop");
    checkVersion(destination, block, "destination");
  }
}

function checkModes({ ipv6_ra_mode: ra, ipv6_address_mode: address, enable_dhcp }: Checked, block: Block, before?: Subnet): void {
  if (block.version === 4) {
    if (ra !== null) throw invalidInput("ipv6_ra_mode is not valid when ip_version is 4");
    if (address !== null) throw invalidInput("ipv6_address_mode is not valid when ip_version is 4");
    return;
  }
  if ((ra !== null || address !== null) && !enable_dhcp)
    throw invalidInput("ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False");
  if (before !== undefined) return;
  if (ra !== null && address !== null && ra !== address)
    throw invalidInput(
      `ipv6_ra_mode set to '${ra}' with ipv6_address_mode set to '${address}' is not valid. If both attributes are set, they must be the same value`,
    );
  if (isAutoAddressed({ ipv6_ra_mode: ra, ipv6_address_mode: address }) && block.prefixLength !== 64)
    throw invalidInput("Invalid CIDR for IPv6 address mode. OpenStack uses the EUI-64 address format, which requires the prefix to be /64");
}

function checkVersion(text: string, { version }: Block, name: string): void {
  if ((parseBlock(text)?.version ?? version) !== version)
    throw invalidInput(`${name} '${text}' does not match the ip_version '${version}'`);
}
