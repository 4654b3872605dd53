import { PlumblineError } from "../../../core/errors.js";
import { textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import { OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { ListName } from "../objects/kinds.js";
import type { WriteContext } from "./context.js";

/** The object of an error. */
export interface About {
  readonly list: ListName;
  readonly path: Path;
  readonly id: string | undefined;
  /** Whether the object was created before the error. */
  readonly isMade: boolean;
}

/** Adds the entry, and more information about the cause, to an error. */
export async function explainCloudError(error: unknown, { list, path, id, isMade }: About, context: WriteContext): Promise<unknown> {
  if (!(error instanceof PlumblineError)) return error;
  const { target } = context.client;
  const where = { ...error.where, target, xpath: error.where.xpath ?? path.toString() };
  const { code } = error;
  // The object exists, but not as wanted, so the failure is partial.
  const severity = isMade ? "partial" : error.severity;
  const holders = error instanceof OpenstackError ? await holding(error, list, id, context) : [];
  const message = holders.length === 0 ? error.message : `${error.message}. It is used by ${holders.join(", ")}`;
  const next = (error instanceof OpenstackError ? adviceOn(error) : undefined) ?? error.next;
  return new PlumblineError(code, message, { where, next, severity, cause: error });
}

const MOST_HOLDERS = 5;

/** Returns the objects that block the operation, as far as the project may see them. */
async function holding(error: OpenstackError, list: ListName, id: string | undefined, context: WriteContext): Promise<string[]> {
  if (/FloatingI[Pp]/.test(error.type ?? "") && /InUse|AlreadyAssociated/.test(error.type ?? ""))
    return await floatingIpsIn(error, context);
  return error.refusal === "in-use" && id !== undefined ? await holdersOf(list, id, context) : [];
}

/** Returns floating IPs on the port or router in the message, without floating IPs in the message itself. */
async function floatingIpsIn({ words }: OpenstackError, { client }: WriteContext): Promise<string[]> {
  const request = { service: "network" as const, path: ["floatingips"], collection: "floatingips" };
  const all = await client.list(request).catch(() => []);
  const isNamed = (id: string | undefined) => id !== undefined && words.includes(id);
  const others = all.filter(
    (each) => !isNamed(textAt(each, "id")) && (isNamed(textAt(each, "port_id")) || isNamed(textAt(each, "router_id"))),
  );
  return others.map((each) => `floating IP ${textAt(each, "floating_ip_address")} (${textAt(each, "id")})`);
}

/** Returns the ports that use an object, each with its owner. */
async function holdersOf(list: ListName, id: string, { client }: WriteContext): Promise<string[]> {
  const query = QUERY[list]?.(id);
  if (query === undefined) return [];
  const ports = await client.list({ service: "network", path: ["ports"], collection: "ports", query: [query] }).catch(() => []);
  const words = ports.map((port) => {
    const owner = textAt(port, "device_owner") ?? "";
    const device = textAt(port, "device_id") ?? "";
    return `port ${textAt(port, "id")}${owner === "" ? "" : ` of ${owner} ${device}`}`;
  });
  return words.length <= MOST_HOLDERS ? words : [...words.slice(0, MOST_HOLDERS), `and ${words.length - MOST_HOLDERS} more ports`];
}

const QUERY: Readonly<Partial<Record<ListName, (id: string) => readonly [string, string]>>> = {
  networks: (id) => ["network_id", id],
  subnets: (id) => ["fixed_ips", `subnet_id=${id}`],
  routers: (id) => ["device_id", id],
  security_groups: (id) => ["security_groups", id],
};

/** Refusals that a change of the document resolves. */
const ADVICE: readonly (readonly [words: RegExp, next: string])[] = [
  [/can ?not find (requested )?image|image .* could not be found/i, "Correct image: of the server to one that the project may use."],
  [/flavor .* could not be found/i, "Correct flavor: of the server."],
  [/instance \S+ is locked/i, "The server is locked. Find out why, unlock it (openstack server unlock), then run again."],
  [
    /while it is in vm_state resized/i,
    "A resize waits for its confirmation: confirm or revert it (openstack server resize confirm), then run again.",
  ],
  [
    /disk is too small|unable to be resized|disk is smaller/i,
    "Correct flavor: of the server to one whose disk fits, or set $replace: true on the entry to recreate it.",
  ],
  [
    /while it is in vm_state (paused|suspended|rescued|shelved)|^instance \S+ is not ready/i,
    "The server is paused, suspended, rescued or shelved. Find out why, bring it back (openstack server unpause, resume, unrescue, unshelve), then run again.",
  ],
  [/while it is in (vm_state|task_state)/i, "Check the server's events (openstack server event list), start or stop it, then run again."],
  [/invalid key_name/i, "Correct key_name: of the server. Key pairs belong to the user of the request."],
  [
    /in use by another trunk|use as a parent port|already in use on trunk/i,
    "The port, or its VLAN there, is already in a trunk (openstack network trunk list), or a server has it: trunks are created before the servers on their ports.",
  ],
  [/currently a (parent port|subport) for trunk/i, "Remove the port from that trunk first, or delete the trunk in the same run."],
  [/trunk \S+ is currently in use/i, "A server has the port of the trunk: have that deleted first, or in the same run."],
  [/already in use|already allocated|in use by/i, "Choose another address, or free the one that the service names."],
  [/already has a floating ip/i, "Take that one off first, or name another address of the port by fixed_ip_address."],
  [/required by one or more floating ips/i, "Take the floating IPs off first, or declare them so that this run does."],
  [
    /is not reachable from subnet/i,
    "There is no router between them: declare one with this pool as external_network and the subnet in interfaces.",
  ],
  [
    /create_floatingip:floating_ip_address/,
    "Only an administrator may choose the address: omit floating_ip_address, or ask for that permission.",
  ],
  [/not a valid external network|not contain any ipv4 subnet/i, "Correct pool: to an external network that has addresses."],
  [
    /no more ip addresses available/i,
    "There is no free address left there: give one back, choose another network or pool, or have it enlarged.",
  ],
  [
    /ip updates for port .* are not allowed/i,
    "A port of a router keeps its addresses: take it out of interface_ports first, or $replace: true on the port.",
  ],
  [/port security must be enabled/i, "Keep port_security_enabled, or remove the port's allowed_address_pairs first."],
  [
    /external_gateway_info:(external_fixed_ips|enable_snat)/,
    "Only an administrator may set this field of a gateway: omit it, or ask for that permission.",
  ],
  [
    /must not be migrating, attached.*have snapshots/i,
    "Delete its snapshots first (openstack volume snapshot list --volume), and check its attachments.",
  ],
  [/volume type .*could not be found/i, "Correct volume_type: of the volume (openstack volume type list)."],
  [
    /retype needs volume|retypes affecting multiattach/i,
    "Check its current operation (openstack volume show). If front-end QoS or multiattach differ, detach it from its server first.",
  ],
  [/availability zone .*is invalid/i, "Correct availability_zone:."],
  [/is not bootable/i, "Correct boot_volume: of the server, or set bootable: true on the volume."],
  [/larger than volume size|cannot be smaller than/i, "Correct size: of the volume. Its source does not fit."],
  [
    /insufficient prefix space|subnet pool prefix quota/i,
    "The pool has no room for it: add to its prefixes, choose a longer prefixlen, or give a subnet back; other projects' count, too.",
  ],
  [
    /requested subnet from the available set/i,
    "Correct cidr: it must be in the prefixes of the pool, and not overlap another subnet of it, of any project.",
  ],
  [
    /from the same subnet pool/i,
    "Subnets of one IP version in one network must use the same pool, or no pool. Correct subnetpool, or use another network.",
  ],
  [
    /prefixes to be removed is in use|has existing allocations/i,
    "Subnets are cut from it, maybe by other projects: take those away first.",
  ],
  [/overlaps with another subnet/i, "Choose another cidr; a subnet that this project may not see can hold it."],
  [/requires a subnet/i, "Declare a subnet in the network."],
];

function adviceOn(error: OpenstackError): string | undefined {
  return ADVICE.find(([words]) => words.test(error.words))?.[1];
}
