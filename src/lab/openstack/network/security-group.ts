import type { Standard } from "./standard-attributes.js";

export interface SecurityGroupRule extends Omit<Standard, "description"> {
  /** Null on the rules that the service makes by itself. */
  description: string | null;
  /** A number that the service gives each object. */
  readonly standard_attr_id: number;
  readonly security_group_id: string;
  readonly direction: "ingress" | "egress";
  readonly ethertype: "IPv4" | "IPv6";
  readonly protocol: string | null;
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
  readonly remote_ip_prefix: string | null;
  readonly remote_group_id: string | null;
  readonly remote_address_group_id: string | null;
  readonly normalized_cidr: string | null;
}

/** A security group; its rules are shown as `security_group_rules`. */
export interface SecurityGroup extends Standard {
  stateful: boolean;
  readonly shared: boolean;
}
