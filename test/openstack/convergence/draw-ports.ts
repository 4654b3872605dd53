import type { Draw } from "../differential/draw.js";
import { administered, type Lists, namesIn, put, someGroups, standard } from "./lists.js";
import { address6, count, type Fields, flag, mac, Ref, Spelled, Unordered } from "./values.js";

export function drawPorts(draw: Draw, lists: Lists): void {
  for (let at = 0; at < 2 + draw.below(3); at++) put(lists, "ports", `port-${at}`, port(draw, lists, at));
  if (lists.get("networks")?.has("aside") === true && draw.chance(50))
    put(lists, "ports", "aside", { network: new Ref("networks", "aside", "object"), ...standard(draw) });
  if (draw.chance(40)) drawInterfacePort(draw, lists);
  if (draw.chance(40)) drawTrunk(draw, lists);
}

function port(draw: Draw, lists: Lists, at: number): Fields {
  const net = draw.below(namesIn(lists, "networks").filter((name) => name.startsWith("net-")).length);
  const fields: Fields = { ...standard(draw), ...administered(draw), network: new Ref("networks", `net-${net}`, "object") };
  if (draw.chance(60)) fields.fixed_ips = new Unordered(addresses(draw, lists, net, at));
  if (draw.chance(25)) fields.mac_address = mac(`fa:16:3e:00:0a:${(at + 16).toString(16)}`);
  if (draw.chance(25)) fields.extra_dhcp_opts = new Unordered(options(draw));
  if (draw.chance(20)) fields["binding:vnic_type"] = "normal";
  if (draw.chance(20)) return { ...fields, port_security_enabled: flag(false, true) };
  if (draw.chance(70)) Object.assign(fields, someGroups(draw, lists));
  if (draw.chance(35)) fields.allowed_address_pairs = new Unordered(pairs(draw));
  return fields;
}

function addresses(draw: Draw, lists: Lists, net: number, at: number): Fields[] {
  const four = { subnet: new Ref("subnets", `sub-${net}`, "object"), ip_address: `10.7.${net}.${20 + at}` };
  const all: Fields[] = [four];
  if (draw.chance(30)) all.push({ ...four, ip_address: `10.7.${net}.${30 + at}` });
  if (lists.get("subnets")?.has(`six-${net}`) === true && draw.chance(60))
    all.push({ subnet: new Ref("subnets", `six-${net}`, "object"), ip_address: address6(`fd00:7:${net + 1}::1:b${at}`) });
  return all;
}

function pairs(draw: Draw): Fields[] {
  const all: Fields[] = [
    { ip_address: new Spelled(["192.0.2.200"]) },
    { ip_address: "198.51.100.0/24", mac_address: mac("fa:16:3e:aa:bb:cc") },
    { ip_address: address6("fd00:aa::5") },
  ];
  return all.slice(draw.below(3));
}

function options(draw: Draw): Fields[] {
  const four = { opt_name: "mtu", opt_value: count(1400), ip_version: new Spelled([4, "4", undefined]) };
  const six = { opt_name: "dns-server", opt_value: "fd00::53", ip_version: count(6) };
  return draw.of([[four], [six], [four, six]]);
}

/** Puts the router on the subnet that it has no interface in, by a port. */
function drawInterfacePort(draw: Draw, lists: Lists): void {
  const subnet =
    namesIn(lists, "subnets")
      .filter((name) => name.startsWith("sub-"))
      .at(-1) ?? "";
  const network = lists.get("subnets")?.get(subnet)?.network;
  const net = subnet.slice("sub-".length);
  const fixed_ips = [{ subnet: new Ref("subnets", subnet, "object"), ip_address: `10.7.${net}.40` }];
  put(lists, "ports", "inner", { network, fixed_ips, ...standard(draw) });
  const router = lists.get("routers")?.get("edge");
  if (router !== undefined) router.interface_ports = [new Ref("ports", "inner", "row")];
}

function drawTrunk(draw: Draw, lists: Lists): void {
  for (const name of ["trunk-parent", "trunk-a", "trunk-b"])
    put(lists, "ports", name, { network: new Ref("networks", "net-0", "object"), ...standard(draw) });
  const rows = ["trunk-a", "trunk-b"].map((name, at) => ({ port: new Ref("ports", name, "row"), segmentation_id: count(10 + at) }));
  put(lists, "trunks", "trunk", {
    ...standard(draw),
    ...administered(draw),
    port: new Ref("ports", "trunk-parent", "object"),
    sub_ports: new Unordered(rows.slice(draw.below(2))),
  });
}
