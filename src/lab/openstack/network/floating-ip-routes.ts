import { ServiceError } from "../world/service-error.js";
import { parseAddress, within } from "./addresses.js";
import { badResource, conflict } from "./errors.js";
import type { FloatingIp } from "./floating-ip.js";
import type { Port } from "./port.js";
import type { Router } from "./router.js";
import type { NetworkStore } from "./store.js";

/** Target of a floating address. The service determines it when the address is associated with a port. */
export interface Association {
  readonly port_id: string;
  readonly fixed_ip_address: string;
  readonly router_id: string;
}

/** Returns the fixed address and the router through which a floating address reaches a port. Throws if there is no such route. */
export function associationOf(store: NetworkStore, floating: FloatingIp, port: Port, wanted: string | undefined): Association {
  const fixed = fixedAddress(port, wanted);
  const router = routerTo(store, floating.floating_network_id, port, fixed);
  const duplicate = [...store.objects.floatingip.values()].find(
    (each) =>
      each.id !== floating.id &&
      each.port_id === port.id &&
      each.fixed_ip_address === fixed &&
      each.floating_network_id === floating.floating_network_id,
  );
  if (duplicate !== undefined) {
    throw conflict(
      "FloatingIPPortAlreadyAssociated",
      `Cannot associate floating IP ${floating.floating_ip_address} (${floating.id}) with port ${port.id} using fixed IP ${fixed}, as that fixed IP already has a floating IP on external network ${floating.floating_network_id}.`,
    );
  }
  return { port_id: port.id, fixed_ip_address: fixed, router_id: router.id };
}

function fixedAddress({ id, fixed_ips }: Port, wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (fixed_ips.some(({ ip_address }) => ip_address === wanted)) return wanted;
    throw badResource("floatingip", `Port ${id} does not have fixed ip ${wanted}`);
  }
  const [only, ...others] = fixed_ips.filter(({ ip_address }) => parseAddress(ip_address)?.version === 4);
  if (only === undefined) throw badResource("floatingip", `Cannot add floating IP to port ${id} that has no fixed IPv4 addresses`);
  if (others.length === 0) return only.ip_address;
  const words = `Port ${id} has multiple fixed IPv4 addresses.  Must provide a specific IPv4 address when assigning a floating IP`;
  throw badResource("floatingip", words);
}

/**
 * Returns a router with a gateway in the external network and an interface in the subnet of the address. Prefers a router at the subnet's
 * gateway address.
 */
function routerTo(store: NetworkStore, external: string, port: Port, fixed: string): Router {
  const subnetId = port.fixed_ips.find(({ ip_address }) => ip_address === fixed)?.subnet_id ?? "";
  const { gateway_ip } = store.get("subnet", subnetId);
  const found: Router[] = [];
  for (const router of store.objects.router.values()) {
    if (router.external_gateway_info?.network_id !== external) continue;
    const addresses = interfaceAddresses(store, router.id, subnetId);
    if (addresses.includes(gateway_ip ?? "")) return router;
    if (addresses.length > 0) found.push(router);
  }
  const [first] = found;
  if (first !== undefined) return first;
  throw new ServiceError(
    404,
    "ExternalGatewayForFloatingIPNotFound",
    `External network ${external} is not reachable from subnet ${subnetId}.  Therefore, cannot associate Port ${port.id} with a Floating IP.`,
  );
}

function interfaceAddresses(store: NetworkStore, router: string, subnet: string): string[] {
  return [...(store.portsOfDevice.get(router) ?? [])]
    .map((id) => store.get("port", id))
    .filter(({ device_owner }) => device_owner === "network:router_interface")
    .flatMap(({ fixed_ips }) => fixed_ips.filter(({ subnet_id }) => subnet_id === subnet).map(({ ip_address }) => ip_address));
}

/** Removes every floating address from a port before its deletion. */
export function disassociate(store: NetworkStore, port: string): void {
  for (const each of store.objects.floatingip.values())
    if (each.port_id === port) store.change("floatingip", each, { port_id: null, fixed_ip_address: null, router_id: null });
}

/** @throws ServiceError if floating addresses use the gateway of the router */
export function refuseGatewayInUse(store: NetworkStore, { id, external_gateway_info }: Router): void {
  if (![...store.objects.floatingip.values()].some(({ router_id }) => router_id === id)) return;
  throw conflict(
    "RouterExternalGatewayInUseByFloatingIp",
    `Gateway cannot be updated for router ${id}, since a gateway to external network ${external_gateway_info?.network_id} is required by one or more floating IPs.`,
  );
}

/** @throws ServiceError if floating addresses use the router's interface in one of these subnets */
export function refuseInterfaceInUse(store: NetworkStore, router: string, subnets: readonly string[]): void {
  const through = [...store.objects.floatingip.values()].filter(({ router_id }) => router_id === router);
  const subnet = subnets.find((id) => {
    const { cidr } = store.get("subnet", id);
    return through.some(({ fixed_ip_address }) => fixed_ip_address !== null && within(cidr, fixed_ip_address));
  });
  if (subnet === undefined) return;
  throw conflict(
    "RouterInterfaceInUseByFloatingIP",
    `Router interface for subnet ${subnet} on router ${router} cannot be deleted, as it is required by one or more floating IPs.`,
  );
}
