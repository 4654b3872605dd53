import type { Standard } from "./standard-attributes.js";

/** An address of an external network. It has no name. */
export interface FloatingIp extends Omit<Standard, "name"> {
  readonly floating_network_id: string;
  readonly floating_ip_address: string;
  router_id: string | null;
  port_id: string | null;
  fixed_ip_address: string | null;
  readonly status: "DOWN";
  readonly qos_policy_id: null;
}
