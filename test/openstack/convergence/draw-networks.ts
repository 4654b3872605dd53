import type { Draw } from "../differential/draw.js";
import { administered, type Lists, namesIn, put, type Surroundings, standard } from "./lists.js";
import { address6, count, type Fields, flag, Ref, Spelled, Unordered } from "./values.js";

export function drawNetworks(draw: Draw, lists: Lists, { otherProject }: Surroundings): void {
  if (draw.chance(40)) drawPool(draw, lists);
  for (let at = 0; at < 2 + draw.below(2); at++) {
    const name = `net-${at}`;
    const fields: Fields = { ...standard(draw), ...administered(draw) };
    if (draw.chance(25)) fields.mtu = count(draw.of([1400, 1280]));
    if (draw.chance(15)) fields.port_security_enabled = flag(true, true);
    if (draw.chance(15)) fields.shared_with = [otherProject];
    put(lists, "networks", name, fields);
    put(lists, "subnets", `sub-${at}`, { network: new Ref("networks", name, "object"), ...subnet4(draw, at) });
    if (draw.chance(50)) put(lists, "subnets", `six-${at}`, { network: new Ref("networks", name, "object"), ...subnet6(draw, at) });
  }
  if (lists.has("subnetpools")) drawPooled(draw, lists);
  if (draw.chance(30)) drawAside(draw, lists);
  drawRouters(draw, lists);
}

/** The service gives out hosts of the pools only, so the hosts 10 to 69 are free for fixed addresses. */
function subnet4(draw: Draw, at: number): Fields {
  const host = (last: number) => `10.7.${at}.${last}`;
  const fields: Fields = { ...standard(draw), cidr: `10.7.${at}.0/24` };
  if (draw.chance(30)) fields.gateway_ip = host(1);
  if (draw.chance(25)) fields.enable_dhcp = flag(draw.chance(50), true);
  if (draw.chance(20)) fields.ip_version = count(4);
  if (draw.chance(35)) fields.dns_nameservers = draw.of([["192.0.2.53"], ["192.0.2.54", "192.0.2.53"]]);
  const pools = [
    { start: host(100), end: host(119) },
    { start: host(150), end: host(199) },
  ];
  fields.allocation_pools = new Unordered(pools.slice(0, 1 + draw.below(2)));
  if (draw.chance(30)) {
    const routes = [
      { destination: "192.0.2.0/24", nexthop: host(9) },
      { destination: "198.51.100.0/25", nexthop: host(8) },
    ];
    fields.host_routes = new Unordered(routes.slice(0, 1 + draw.below(2)));
  }
  return fields;
}

function subnet6(draw: Draw, at: number): Fields {
  const base = `fd00:7:${at + 1}::`;
  const fields: Fields = { ...standard(draw), cidr: address6(`${base}/64`) };
  if (draw.chance(40)) fields.gateway_ip = address6(`${base}1`);
  if (draw.chance(30)) fields.dns_nameservers = [address6("2001:db8::53"), address6("2001:db8:a::54")];
  if (draw.chance(40)) fields.allocation_pools = [{ start: address6(`${base}a00`), end: address6(`${base}aff`) }];
  if (draw.chance(30)) fields.host_routes = [{ destination: address6("2001:db8:5::/48"), nexthop: address6(`${base}9`) }];
  if (draw.chance(40)) {
    const mode = "dhcpv6-stateful";
    Object.assign(fields, { ipv6_ra_mode: mode, ipv6_address_mode: mode });
  }
  return fields;
}

function drawPool(draw: Draw, lists: Lists): void {
  const fields: Fields = { ...standard(draw), prefixes: new Unordered(["10.64.0.0/16", "10.66.0.0/16"]), default_prefixlen: count(26) };
  if (draw.chance(40)) Object.assign(fields, { min_prefixlen: count(20), max_prefixlen: count(28) });
  if (draw.chance(30)) fields.default_quota = count(4096);
  put(lists, "subnetpools", "pool", fields);
}

function drawPooled(draw: Draw, lists: Lists): void {
  put(lists, "networks", "pooled", standard(draw));
  const holder = { network: new Ref("networks", "pooled", "object"), subnetpool: new Ref("subnetpools", "pool", "object") };
  put(lists, "subnets", "pooled-a", { ...holder, ...standard(draw) });
  if (draw.chance(50)) put(lists, "subnets", "pooled-b", { ...holder, prefixlen: count(27) });
}

/** A network that no server uses, with the fields that keep addresses from servers. */
function drawAside(draw: Draw, lists: Lists): void {
  put(lists, "networks", "aside", { ...standard(draw), port_security_enabled: flag(false, true) });
  const network = new Ref("networks", "aside", "object");
  const mode = draw.of(["slaac", "dhcpv6-stateless"]);
  put(lists, "subnets", "aside-six", { network, cidr: address6("fd00:99::/64"), ipv6_ra_mode: mode, ipv6_address_mode: mode });
  put(lists, "subnets", "aside-four", {
    network,
    cidr: "10.99.0.0/24",
    gateway_ip: new Spelled(["null"]),
    service_types: new Unordered(["network:dhcp", "compute:nova"].slice(draw.below(2))),
  });
}

function drawRouters(draw: Draw, lists: Lists): void {
  const subnets = namesIn(lists, "subnets").filter((name) => name.startsWith("sub-") || name.startsWith("six-"));
  const fields: Fields = { ...standard(draw), ...administered(draw) };
  if (draw.chance(70)) fields.external_network = "public";
  // The last IPv4 subnet stays free for an interface on a declared port.
  const last = namesIn(lists, "subnets")
    .filter((name) => name.startsWith("sub-"))
    .at(-1);
  const inside = subnets.filter((name) => name !== last && draw.chance(80));
  if (inside.length > 0) fields.interfaces = new Unordered(inside.map((name) => new Ref("subnets", name, "row")));
  if (inside.includes("sub-0") && draw.chance(50))
    fields.routes = new Unordered([
      { destination: draw.of(["192.0.2.128/25", "203.0.114.0/24"]), nexthop: "10.7.0.9", "#hop": new Ref("subnets", "sub-0", "row") },
    ]);
  put(lists, "routers", "edge", fields);
}
