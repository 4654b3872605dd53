import { GROUP_KINDS } from "./group-kinds.js";
import type { Kind, Values } from "./kind.js";
import { PORT_KINDS } from "./port-kinds.js";
import { ROUTER_KINDS } from "./router-kinds.js";
import { SUBNET_KINDS } from "./subnet-kinds.js";

export const NETWORK_KINDS: readonly Kind[] = [...ROUTER_KINDS, ...SUBNET_KINDS, ...PORT_KINDS, ...GROUP_KINDS];

/** Objects that the generated requests name: `[name, path, singular, body]`, in the order of their creation. */
export const NETWORK_FIXTURES: readonly (readonly [name: string, path: string, singular: string, body: Values])[] = [
  ["net", "/v2.0/networks", "network", { name: "fixture-net" }],
  ["empty", "/v2.0/networks", "network", { name: "fixture-empty" }],
  ["slaac", "/v2.0/networks", "network", { name: "fixture-slaac" }],
  ["lonenet", "/v2.0/networks", "network", { name: "fixture-lone" }],
  ["linkednet", "/v2.0/networks", "network", { name: "fixture-linked" }],
  [
    "sub",
    "/v2.0/subnets",
    "subnet",
    {
      name: "fixture-sub",
      network_id: "$net",
      ip_version: 4,
      cidr: "10.20.0.0/24",
      allocation_pools: [{ start: "10.20.0.100", end: "10.20.0.200" }],
    },
  ],
  ["sub6", "/v2.0/subnets", "subnet", { name: "fixture-sub6", network_id: "$net", ip_version: 6, cidr: "fd00:20::/64" }],
  [
    "slaacsub",
    "/v2.0/subnets",
    "subnet",
    {
      name: "fixture-slaacsub",
      network_id: "$slaac",
      ip_version: 6,
      cidr: "fd00:21::/64",
      ipv6_ra_mode: "slaac",
      ipv6_address_mode: "slaac",
    },
  ],
  ["lonesub", "/v2.0/subnets", "subnet", { name: "fixture-lonesub", network_id: "$lonenet", ip_version: 4, cidr: "10.22.0.0/24" }],
  ["linkedsub", "/v2.0/subnets", "subnet", { name: "fixture-linkedsub", network_id: "$linkednet", ip_version: 4, cidr: "10.23.0.0/24" }],
  ["sg", "/v2.0/security-groups", "security_group", { name: "fixture-sg" }],
  ["lone", "/v2.0/ports", "port", { name: "fixture-lone", network_id: "$lonenet" }],
  ["linked", "/v2.0/ports", "port", { name: "fixture-linked", network_id: "$linkednet" }],
  ["edge", "/v2.0/routers", "router", { name: "fixture-edge", external_gateway_info: { network_id: "$public" } }],
];
