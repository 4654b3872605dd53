import type { Draw } from "../differential/draw.js";
import type { Answer, Session } from "../harness/session.js";
import { type Fields, type Project, Ref, shuffled, Unordered } from "./values.js";

type Json = Answer["json"];

/** A change by another administrator through the API, and the object that then has drift: `ports/vip`. */
interface LiveChange {
  readonly object: string;
  readonly what: string;
}

/** The project in which changes are made, and a function that lets the services work. */
interface Place {
  readonly user: Session;
  readonly pause: (milliseconds: number) => Promise<void>;
}

interface Maker {
  readonly list: string;
  readonly what: string;
  /** Returns whether the object allows this change. `fields` are the declared fields. */
  change(live: Json, user: Session, fields: Fields, pause: Place["pause"]): Promise<boolean>;
}

const put = (path: string, singular: string, fields: (live: Json) => object) => async (live: Json, user: Session) => {
  await user.demand("network", "PUT", `/v2.0/${path}/${live.id}`, { [singular]: fields(live) });
  return true;
};

const NETWORK_KINDS: readonly (readonly [list: string, path: string, singular: string])[] = [
  ["networks", "networks", "network"],
  ["subnets", "subnets", "subnet"],
  ["subnetpools", "subnetpools", "subnetpool"],
  ["routers", "routers", "router"],
  ["security_groups", "security-groups", "security_group"],
  ["ports", "ports", "port"],
  ["trunks", "trunks", "trunk"],
  ["floatingips", "floatingips", "floatingip"],
];

const DESCRIPTIONS: readonly Maker[] = NETWORK_KINDS.map(([list, path, singular]) => ({
  list,
  what: "description",
  change: put(path, singular, () => ({ description: "ticket 4711" })),
}));

const SWITCHES: readonly Maker[] = [
  { list: "networks", what: "admin_state_up", change: put("networks", "network", (live) => ({ admin_state_up: !live.admin_state_up })) },
  { list: "ports", what: "admin_state_up", change: put("ports", "port", (live) => ({ admin_state_up: !live.admin_state_up })) },
  { list: "routers", what: "admin_state_up", change: put("routers", "router", (live) => ({ admin_state_up: !live.admin_state_up })) },
  { list: "subnets", what: "enable_dhcp", change: switchDhcp },
  { list: "subnets", what: "dns_nameservers", change: put("subnets", "subnet", nameServers) },
  { list: "subnets", what: "host_routes", change: put("subnets", "subnet", hostRoutes) },
  { list: "ports", what: "allowed_address_pairs", change: changePairs },
  { list: "ports", what: "security_groups", change: dropGroups },
  { list: "ports", what: "port_security_enabled", change: switchPortSecurity },
  { list: "security_groups", what: "rules", change: dropRule },
  { list: "routers", what: "interfaces", change: dropInterface },
  { list: "trunks", what: "sub_ports", change: dropSubPort },
  { list: "floatingips", what: "port", change: detachFloatingIp },
  { list: "servers", what: "metadata", change: changeMetadata },
  { list: "volumes", what: "description", change: describeVolume },
  { list: "keypairs", what: "deleted", change: deleteKeyPair },
  { list: "servers", what: "deleted", change: deleteServer },
  { list: "ports", what: "deleted", change: deletePort },
  { list: "networks", what: "deleted", change: deleteNetwork },
];

const MAKERS = [...DESCRIPTIONS, ...SWITCHES];

/** Makes up to `count` changes, each to another object. */
export async function changeLive(project: Project, { user, pause }: Place, draw: Draw, count: number): Promise<LiveChange[]> {
  const done: LiveChange[] = [];
  for (const maker of shuffled(MAKERS, draw)) {
    if (done.length === count) break;
    const names = [...(project.get(maker.list)?.keys() ?? [])].filter(
      (name) => !done.some((change) => isRelated(change, maker, name, project)),
    );
    if (names.length === 0) continue;
    const name = draw.of(names);
    const live = await find(user, maker.list, name);
    if (live === undefined) throw new Error(`${maker.list} has no live ${name}`);
    const fields = project.get(maker.list)?.get(name) ?? {};
    if (await maker.change(live, user, fields, pause)) done.push({ object: `${maker.list}/${name}`, what: maker.what });
  }
  return done;
}

/** Whether a change made already is to this object, or to a subnet of a network to delete, or deleted the network of this subnet. */
function isRelated({ object, what }: LiveChange, maker: Maker, name: string, project: Project): boolean {
  const networkOf = (subnet: string | undefined) => {
    const network = project.get("subnets")?.get(subnet ?? "")?.network;
    return network instanceof Ref ? network.name : undefined;
  };
  const [list, changed] = object.split("/");
  if (object === `${maker.list}/${name}`) return true;
  if (list === "networks" && what === "deleted" && maker.list === "subnets") return networkOf(name) === changed;
  return list === "subnets" && maker.list === "networks" && maker.what === "deleted" && networkOf(changed) === name;
}

async function find(user: Session, list: string, name: string): Promise<Json> {
  if (list === "servers") return (await user.demand("compute", "GET", "/servers/detail")).servers.find((each: Json) => each.name === name);
  if (list === "volumes") return user.named("volumev3", "/volumes/detail", "volumes", name);
  if (list === "keypairs") return (await user.demand("compute", "GET", `/os-keypairs/${name}`)).keypair;
  const path = list.replace("_", "-");
  if (list === "floatingips")
    return (await user.list("network", `/v2.0/${path}?tags=${encodeURIComponent(`plumbline:key=${name}`)}`, list))[0];
  return user.named("network", `/v2.0/${path}`, list, name);
}

async function switchDhcp(live: Json, user: Session): Promise<boolean> {
  if (live.ipv6_ra_mode !== null) return false;
  await user.demand("network", "PUT", `/v2.0/subnets/${live.id}`, { subnet: { enable_dhcp: !live.enable_dhcp } });
  return true;
}

function nameServers(live: Json): object {
  const other = live.ip_version === 4 ? "192.0.2.99" : "2001:db8::99";
  return { dns_nameservers: live.dns_nameservers.length > 1 ? live.dns_nameservers.toReversed() : [other] };
}

function hostRoutes(live: Json): object {
  const other =
    live.ip_version === 4
      ? { destination: "203.0.115.0/24", nexthop: "10.7.0.77" }
      : { destination: "2001:db8:77::/48", nexthop: "fd00::77" };
  return { host_routes: live.host_routes.length > 0 ? [] : [other] };
}

async function changePairs(live: Json, user: Session): Promise<boolean> {
  if (live.port_security_enabled === false) return false;
  const pairs = live.allowed_address_pairs.length > 0 ? [] : [{ ip_address: "192.0.2.222" }];
  await user.demand("network", "PUT", `/v2.0/ports/${live.id}`, { port: { allowed_address_pairs: pairs } });
  return true;
}

async function dropGroups(live: Json, user: Session): Promise<boolean> {
  if (live.security_groups.length === 0) return false;
  await user.demand("network", "PUT", `/v2.0/ports/${live.id}`, { port: { security_groups: [] } });
  return true;
}

async function switchPortSecurity(live: Json, user: Session): Promise<boolean> {
  if (live.port_security_enabled === false || live.allowed_address_pairs.length > 0) return false;
  await user.demand("network", "PUT", `/v2.0/ports/${live.id}`, { port: { security_groups: [], port_security_enabled: false } });
  return true;
}

async function dropRule(live: Json, user: Session): Promise<boolean> {
  const rule = live.security_group_rules.find((each: Json) => each.direction === "ingress");
  if (rule === undefined) return false;
  await user.demand("network", "DELETE", `/v2.0/security-group-rules/${rule.id}`);
  return true;
}

async function dropInterface(live: Json, user: Session): Promise<boolean> {
  const ports = await user.list("network", `/v2.0/ports?device_id=${live.id}&device_owner=network:router_interface`, "ports");
  const port = ports.find(({ name }) => name === "");
  if (port === undefined) return false;
  const { status } = await user.request("network", "PUT", `/v2.0/routers/${live.id}/remove_router_interface`, { port_id: port.id });
  return status === 200;
}

async function dropSubPort(live: Json, user: Session): Promise<boolean> {
  const [row] = live.sub_ports;
  if (row === undefined || live.admin_state_up === false) return false;
  await user.demand("network", "PUT", `/v2.0/trunks/${live.id}/remove_subports`, { sub_ports: [{ port_id: row.port_id }] });
  return true;
}

async function detachFloatingIp(live: Json, user: Session): Promise<boolean> {
  if (live.port_id === null) return false;
  await user.demand("network", "PUT", `/v2.0/floatingips/${live.id}`, { floatingip: { port_id: null } });
  return true;
}

async function changeMetadata(live: Json, user: Session): Promise<boolean> {
  const own = Object.keys(live.metadata).find((key) => !key.startsWith("plumbline_"));
  if (own === undefined) return false;
  await user.demand("compute", "POST", `/servers/${live.id}/metadata`, { metadata: { [own]: "theirs" } });
  return true;
}

async function describeVolume(live: Json, user: Session): Promise<boolean> {
  await user.demand("volumev3", "PUT", `/volumes/${live.id}`, { volume: { description: "ticket 4711" } });
  return true;
}

async function deleteKeyPair(live: Json, user: Session): Promise<boolean> {
  await user.demand("compute", "DELETE", `/os-keypairs/${live.name}`);
  return true;
}

async function deleteServer(live: Json, user: Session, _fields: Fields, pause: Place["pause"]): Promise<boolean> {
  await user.demand("compute", "DELETE", `/servers/${live.id}`);
  while ((await user.request("compute", "GET", `/servers/${live.id}`)).status !== 404) await pause(500);
  return true;
}

/** Only a port with declared addresses is as before when it is created again. */
async function deletePort(live: Json, user: Session, fields: Fields): Promise<boolean> {
  const floating = await user.list("network", `/v2.0/floatingips?port_id=${live.id}`, "floatingips");
  if (live.device_id !== "" || !(fields.fixed_ips instanceof Unordered) || floating.length > 0) return false;
  return (await user.request("network", "DELETE", `/v2.0/ports/${live.id}`)).status === 204;
}

async function deleteNetwork(live: Json, user: Session): Promise<boolean> {
  const ports = await user.list("network", `/v2.0/ports?network_id=${live.id}`, "ports");
  if (ports.length > 0) return false;
  await user.demand("network", "DELETE", `/v2.0/networks/${live.id}`);
  return true;
}
