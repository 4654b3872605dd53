import type { Standard } from "./standard-attributes.js";

export interface AllocationPool {
  readonly start: string;
  readonly end: string;
}

export interface HostRoute {
  readonly destination: string;
  readonly nexthop: string;
}

/** A subnet; `cidr` is `<address>/<prefix length>` with no host bits. */
export interface Subnet extends Standard {
  readonly network_id: string;
  readonly ip_version: 4 | 6;
  readonly subnetpool_id: string | null;
  enable_dhcp: boolean;
  readonly ipv6_ra_mode: string | null;
  readonly ipv6_address_mode: string | null;
  gateway_ip: string | null;
  readonly cidr: string;
  allocation_pools: AllocationPool[];
  host_routes: HostRoute[];
  dns_nameservers: string[];
  service_types: string[];
}
