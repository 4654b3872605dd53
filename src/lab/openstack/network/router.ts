import type { FixedIp } from "./port.js";
import type { Standard } from "./standard-attributes.js";
import type { HostRoute } from "./subnet.js";

export interface ExternalGateway {
  readonly network_id: string;
  readonly external_fixed_ips: FixedIp[];
  readonly enable_snat: boolean;
}

export interface Router extends Standard {
  admin_state_up: boolean;
  readonly status: "ACTIVE";
  external_gateway_info: ExternalGateway | null;
  routes: HostRoute[];
  readonly availability_zone_hints: string[];
  readonly availability_zones: string[];
  readonly flavor_id: null;
  readonly distributed: boolean;
  readonly ha: boolean;
}
