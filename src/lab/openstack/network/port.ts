import type { AddressPair } from "./address-pairs.js";
import type { Standard } from "./standard-attributes.js";

/** A DHCP option of a port. */
export type DhcpOption = { readonly opt_name: string; readonly opt_value: string; readonly ip_version: number };

export interface FixedIp {
  readonly subnet_id: string;
  readonly ip_address: string;
}

/** A port as an administrator sees it; others do not see `binding:host_id`, `vif_type`, `vif_details` and `profile`. */
export interface Port extends Standard {
  readonly network_id: string;
  readonly mac_address: string;
  admin_state_up: boolean;
  status: "DOWN" | "ACTIVE";
  device_id: string;
  device_owner: string;
  fixed_ips: FixedIp[];
  allowed_address_pairs: AddressPair[];
  extra_dhcp_opts: DhcpOption[];
  security_groups: string[];
  "binding:vnic_type": string;
  "binding:host_id": string;
  "binding:vif_type": string;
  "binding:vif_details": Record<string, boolean>;
  "binding:profile": Record<string, never>;
  port_security_enabled: boolean;
  readonly qos_policy_id: null;
  readonly qos_network_policy_id: null;
  readonly ip_allocation: "immediate" | "none";
}
