import type { Draw } from "../differential/draw.js";
import { SERIES_VOLUMES } from "./draw-series.js";
import { type Lists, namesIn, put, type Surroundings, someGroups, standard } from "./lists.js";
import { count, type Fields, flag, Ref, Spelled, Unordered } from "./values.js";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJcV0Kp4rVJ1dM0oYb4XzJZp4l4dUqRy9K1nHqVvZr0N deploy";

/** Names of all volumes that a project can declare. */
export const VOLUME_NAMES = ["data", "logs", "root", "restored", "copy", ...SERIES_VOLUMES];

export function drawServers(draw: Draw, lists: Lists, { snapshots }: Surroundings): void {
  if (draw.chance(40)) put(lists, "keypairs", "deploy", { public_key: new Spelled([KEY, `${KEY}\n`]) });
  if (draw.chance(30)) put(lists, "server_groups", "apart", serverGroup(draw));
  drawVolumes(draw, lists);
  drawCopies(draw, lists, snapshots);
  const free = namesIn(lists, "ports").filter((name) => name.startsWith("port-"));
  for (let at = 0; at < 1 + draw.below(2); at++) put(lists, "servers", `server-${at}`, server(draw, lists, at, free));
  drawFloatingIps(draw, lists, free);
}

function serverGroup(draw: Draw): Fields {
  if (draw.chance(50)) return { policy: draw.of(["affinity", "soft-affinity", "soft-anti-affinity"]) };
  return { policy: "anti-affinity", rules: { max_server_per_host: count(3) } };
}

function drawVolumes(draw: Draw, lists: Lists): void {
  for (const name of ["data", "logs"])
    if (draw.chance(35)) put(lists, "volumes", name, { size: count(1), ...described(draw), ...noted(draw) });
  if (draw.chance(25)) put(lists, "volumes", "root", { size: count(1), image: "cirros", bootable: new Spelled([undefined, true, "true"]) });
}

/** Volumes with the content of a snapshot or of another volume. */
function drawCopies(draw: Draw, lists: Lists, snapshots: readonly string[]): void {
  if (draw.chance(25)) put(lists, "volumes", "restored", { size: count(1), snapshot: draw.of(snapshots) });
  if (lists.get("volumes")?.has("data") === true && draw.chance(30))
    put(lists, "volumes", "copy", { size: count(1), source_volume: new Ref("volumes", "data", "object") });
}

const described = (draw: Draw): Fields => (draw.chance(40) ? { description: draw.of(["x: y", "Zürich", " a "]) } : {});

const noted = (draw: Draw): Fields =>
  draw.chance(50)
    ? { metadata: draw.of([{ role: "db" }, { "role:x": "1", "0day": "yes", "a b": "" }, { n: count(7), f: flag(true, false) }]) }
    : {};

function server(draw: Draw, lists: Lists, at: number, free: string[]): Fields {
  const boot = at === 0 && lists.get("volumes")?.has("root") === true;
  const fields: Fields = { ...described(draw), ...noted(draw), flavor: "m1.tiny" };
  if (boot) fields.boot_volume = new Ref("volumes", "root", "object");
  else fields.image = "cirros";
  if (draw.chance(30)) fields.tags = new Unordered(["b", "a"]);
  if (draw.chance(30)) fields.power = draw.of(["on", "off"]);
  if (draw.chance(20)) fields.config_drive = flag(draw.chance(50), false);
  if (draw.chance(20)) fields.user_data = new Spelled(["#!/bin/sh\necho\n"]);
  if (draw.chance(20)) fields.availability_zone = "nova";
  if (lists.has("keypairs") && draw.chance(60)) fields.key_name = new Ref("keypairs", "deploy", "object");
  if (lists.has("server_groups") && draw.chance(60)) fields.server_group = new Ref("server_groups", "apart", "object");
  if (draw.chance(20)) Object.assign(fields, hints(draw, at));
  const volumes = namesIn(lists, "volumes").filter((name) => name === ["data", "logs"][at] && draw.chance(70));
  if (volumes.length > 0) fields.volumes = new Unordered(volumes.map((name) => new Ref("volumes", name, "row")));
  return { ...fields, ...interfaces(draw, lists, at, free) };
}

/** The services have one host, so servers cannot be kept apart by a hint. */
function hints(draw: Draw, at: number): Fields {
  if (at === 0 || draw.chance(50)) return { scheduler_hints: { "vendor:rack": "a7" } };
  return { scheduler_hints: { same_host: ["server-0"] }, "#host": new Ref("servers", "server-0", "object") };
}

/** Takes the ports that the server uses out of `free`. */
function interfaces(draw: Draw, lists: Lists, at: number, free: string[]): Fields {
  const rows: Fields[] = [];
  if (at === 0 && lists.has("trunks"))
    rows.push({ port: new Ref("ports", "trunk-parent", "row"), "#trunk": new Ref("trunks", "trunk", "object") });
  if (free.length > 0 && draw.chance(50)) rows.push({ port: new Ref("ports", free.shift() ?? "", "row") });
  const isOnNetwork = rows.length === 0 || draw.chance(50);
  if (isOnNetwork) {
    const fixed = draw.chance(40) ? { fixed_ip: `10.7.0.${60 + at}` } : {};
    rows.push({ network: new Ref("networks", "net-0", "row"), ...fixed });
  }
  const groups = isOnNetwork && draw.chance(50) ? someGroups(draw, lists) : {};
  return { networks: new Unordered(rows), ...groups };
}

function drawFloatingIps(draw: Draw, lists: Lists, free: string[]): void {
  const router = lists.get("routers")?.get("edge") ?? {};
  if (draw.chance(30)) put(lists, "floatingips", "spare", { pool: "public", ...standard(draw) });
  const inside = router.interfaces instanceof Unordered ? router.interfaces.items.map((each) => (each as Ref).name) : [];
  if (router.external_network === undefined || !inside.includes("sub-0")) return;
  const reachable = free.find((name) => {
    const network = lists.get("ports")?.get(name)?.network;
    return network instanceof Ref && network.name === "net-0";
  });
  const fixed = reachable === undefined ? undefined : lists.get("ports")?.get(reachable)?.fixed_ips;
  if (reachable === undefined || !(fixed instanceof Unordered) || draw.chance(30)) return;
  const [first] = fixed.items as Fields[];
  put(lists, "floatingips", "entry", {
    pool: "public",
    port: new Ref("ports", reachable, "field"),
    fixed_ip_address: first?.ip_address,
    ...standard(draw),
  });
}
