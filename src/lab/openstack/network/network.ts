import type { Standard } from "./standard-attributes.js";

/** A network as an administrator sees it; others do not see the `provider:` attributes. */
export interface Network extends Standard {
  admin_state_up: boolean;
  mtu: number;
  readonly status: "ACTIVE";
  /** Ids, in the order of their creation. */
  subnets: string[];
  shared: boolean;
  readonly availability_zone_hints: string[];
  readonly availability_zones: string[];
  readonly ipv4_address_scope: null;
  readonly ipv6_address_scope: null;
  "router:external": boolean;
  is_default: boolean;
  port_security_enabled: boolean;
  readonly qos_policy_id: null;
  readonly l2_adjacency: true;
  readonly "provider:network_type": string;
  readonly "provider:physical_network": string | null;
  readonly "provider:segmentation_id": number | null;
}
