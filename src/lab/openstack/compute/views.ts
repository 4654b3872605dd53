import { createHash } from "node:crypto";
import type { Image } from "../image/images.js";
import type { JsonObject } from "../world/json.js";
import { seconds } from "../world/time.js";
import type { OpenstackWorld } from "../world/world.js";
import type { Flavor } from "./flavors.js";
import type { KeyPair } from "./key-pairs.js";
import { type Server, statusOf } from "./server.js";

/** Format of a reply, which depends on the microversion, the start of links and the caller. */
export interface View {
  readonly world: OpenstackWorld;
  readonly version: number;
  /** `http://host:port/v2.1`, with the project if the request contained it. */
  readonly self: string;
  /** Like `self`, without the version. */
  readonly bookmark: string;
  readonly imageUrl: string;
  readonly admin: boolean;
}

export function links({ self, bookmark }: View, kind: string, id: string): JsonObject[] {
  return [
    { rel: "self", href: `${self}/${kind}/${id}` },
    { rel: "bookmark", href: `${bookmark}/${kind}/${id}` },
  ];
}

export function briefFlavor(view: View, { id, name, description }: Flavor): JsonObject {
  return { id, name, links: links(view, "flavors", id), ...(view.version >= 55 ? { description } : {}) };
}

/** Returns every column of the specification's flavor list. */
export function detailedFlavor(view: View, flavor: Flavor): JsonObject {
  return {
    id: flavor.id,
    name: flavor.name,
    ram: flavor.ram,
    disk: flavor.disk,
    swap: flavor.swap === 0 && view.version < 75 ? "" : flavor.swap,
    "OS-FLV-EXT-DATA:ephemeral": flavor.ephemeral,
    "OS-FLV-DISABLED:disabled": false,
    vcpus: flavor.vcpus,
    "os-flavor-access:is_public": flavor.isPublic,
    rxtx_factor: flavor.rxtxFactor,
    links: links(view, "flavors", flavor.id),
    ...(view.version >= 55 ? { description: flavor.description } : {}),
    ...(view.version >= 61 ? { extra_specs: { ...flavor.extraSpecs } } : {}),
  };
}

export function briefImage(view: View, { id, name }: Image): JsonObject {
  const alternate = { rel: "alternate", type: "application/vnd.openstack.image", href: `${view.imageUrl}/images/${id}` };
  return { id, name, links: [...links(view, "images", id), alternate] };
}

export function detailedImage(view: View, image: Image): JsonObject {
  return {
    ...briefImage(view, image),
    minRam: image.min_ram,
    minDisk: image.min_disk,
    metadata: {},
    created: image.created_at,
    updated: image.updated_at,
    status: image.status === "active" ? "ACTIVE" : "SAVING",
    progress: image.status === "active" ? 100 : 25,
    "OS-EXT-IMG-SIZE:size": image.size,
  };
}

export function keyPair(view: View, { name, publicKey, fingerprint, type }: KeyPair): JsonObject {
  return { name, public_key: publicKey, fingerprint, ...(view.version >= 2 ? { type } : {}) };
}

export function detailedKeyPair(view: View, pair: KeyPair): JsonObject {
  const created = new Date(pair.created).toISOString().slice(0, 23);
  const rest = { user_id: pair.userId, created_at: `${created}000`, deleted: false, deleted_at: null, id: pair.id, updated_at: null };
  return { ...keyPair(view, pair), ...rest };
}

export function briefServer(view: View, { id, name }: Server): JsonObject {
  return { id, name, links: links(view, "servers", id) };
}

/** Power states of libvirt. */
const POWER_STATES = {
  active: 1,
  paused: 3,
  suspended: 4,
  stopped: 4,
  rescued: 1,
  shelved: 4,
  shelved_offloaded: 4,
  resized: 1,
  building: 0,
  error: 0,
  deleted: 0,
};

export function detailedServer(view: View, server: Server): JsonObject {
  const { id, imageId, flavor, vmState, fault } = server;
  const launched = server.launchedAt === undefined ? null : new Date(server.launchedAt).toISOString().slice(0, 23).concat("000");
  const isPlaced = vmState !== "building" && vmState !== "error" && vmState !== "shelved_offloaded";
  const ports = view.world.network.ports.ofDevice(id);
  return {
    id,
    name: server.name,
    status: statusOf(server),
    tenant_id: server.projectId,
    user_id: server.userId,
    metadata: { ...server.metadata },
    hostId: isPlaced ? createHash("sha224").update(`${server.projectId}fakehost`).digest("hex") : "",
    image: imageId === undefined ? "" : { id: imageId, links: links(view, "images", imageId).slice(1) },
    flavor: view.version >= 47 ? embedded(flavor) : { id: flavor.id, links: links(view, "flavors", flavor.id).slice(1) },
    created: seconds(server.created),
    updated: seconds(server.updated),
    addresses: vmState === "building" ? {} : addresses(view, server),
    accessIPv4: "",
    accessIPv6: "",
    links: links(view, "servers", id),
    "OS-DCF:diskConfig": "MANUAL",
    ...(vmState === "active" || vmState === "building" ? { progress: 0 } : {}),
    "OS-EXT-AZ:availability_zone": isPlaced ? server.availabilityZone : "",
    config_drive: server.hasConfigDrive ? "True" : "",
    key_name: server.keyName,
    "OS-SRV-USG:launched_at": launched,
    "OS-SRV-USG:terminated_at":
      server.terminatedAt === undefined ? null : new Date(server.terminatedAt).toISOString().slice(0, 23).concat("000"),
    ...(ports.length === 0 ? {} : { security_groups: groupNames(view, server) }),
    "OS-EXT-STS:task_state": server.taskState,
    "OS-EXT-STS:vm_state": vmState,
    "OS-EXT-STS:power_state": POWER_STATES[server.before?.vmState ?? vmState],
    "os-extended-volumes:volumes_attached": server.volumes.map(({ volumeId, deleteOnTermination }) => ({
      id: volumeId,
      ...(view.version >= 3 ? { delete_on_termination: deleteOnTermination } : {}),
    })),
    ...(fault === undefined ? {} : { fault: faultView(view, fault) }),
    ...(view.admin ? hostAttributes(server, isPlaced) : {}),
    ...(view.version >= 9 ? { locked: server.isLocked } : {}),
    ...(view.version >= 19 ? { description: server.description } : {}),
    ...(view.version >= 26 ? { tags: [...server.tags] } : {}),
    ...(view.version >= 63 ? { trusted_image_certificates: null } : {}),
    ...(view.version >= 71
      ? { server_groups: server.groupId !== undefined && view.world.compute.groups.all.has(server.groupId) ? [server.groupId] : [] }
      : {}),
    ...(view.version >= 73 ? { locked_reason: null } : {}),
    ...(view.version >= 90 ? { "OS-EXT-SRV-ATTR:hostname": server.name.toLowerCase() } : {}),
  };
}

/** First minor version whose reply to an update contains all fields. */
const COMPLETE_UPDATE = 75;

/** Returns a server as the reply to an update shows it. */
export function updatedServer(view: View, server: Server): JsonObject {
  const shown = detailedServer(view, server);
  if (view.version >= COMPLETE_UPDATE) return shown;
  const isKept = (key: string) => !/^(OS-(EXT|SRV)-|os-extended-|(config_drive|key_name|security_groups)$)/.test(key);
  const short = Object.fromEntries(Object.entries(shown).filter(([key]) => isKept(key)));
  return { ...short, addresses: server.vmState === "building" ? {} : addresses(view, server, false) };
}

/** Returns the ports of a server in the format of `os-interface`. */
export function interfaces({ world }: View, { id }: Server): JsonObject[] {
  return world.network.ports.ofDevice(id).map((port) => ({
    net_id: port.network_id,
    port_id: port.id,
    mac_addr: port.mac_address,
    port_state: port.status,
    fixed_ips: port.fixed_ips.map((each) => ({ ...each })),
  }));
}

function embedded({ vcpus, ram, disk, ephemeral, swap, name, extraSpecs }: Flavor): JsonObject {
  return { vcpus, ram, disk, ephemeral, swap, original_name: name, extra_specs: { ...extraSpecs } };
}

function addresses({ world }: View, { id }: Server, isExtended = true): JsonObject {
  const byNetwork: Record<string, JsonObject[]> = {};
  for (const port of world.network.ports.ofDevice(id)) {
    const { name } = world.network.store.get("network", port.network_id);
    for (const { ip_address } of port.fixed_ips) {
      const version = ip_address.includes(":") ? 6 : 4;
      const own = { version, addr: ip_address, "OS-EXT-IPS:type": "fixed", "OS-EXT-IPS-MAC:mac_addr": port.mac_address };
      const floating = [...world.network.store.objects.floatingip.values()]
        .filter((each) => each.port_id === port.id && each.fixed_ip_address === ip_address)
        .map((each) => ({ ...own, version: 4, addr: each.floating_ip_address, "OS-EXT-IPS:type": "floating" }));
      const all = [own, ...floating].map((each) => (isExtended ? each : { version: each.version, addr: each.addr }));
      byNetwork[name] = [...(byNetwork[name] ?? []), ...all];
    }
  }
  return byNetwork;
}

function groupNames({ world }: View, { id }: Server): JsonObject[] {
  return world.network.ports
    .ofDevice(id)
    .flatMap(({ security_groups }) => security_groups)
    .map((group) => ({ name: world.network.store.get("security_group", group).name }));
}

function faultView({ admin }: View, { code, created, message, details }: NonNullable<Server["fault"]>): JsonObject {
  return { code, created, message, ...(admin ? { details } : {}) };
}

function hostAttributes({ number }: Server, isPlaced: boolean): JsonObject {
  return {
    "OS-EXT-SRV-ATTR:host": isPlaced ? "fakehost" : null,
    "OS-EXT-SRV-ATTR:instance_name": `instance-${number.toString(16).padStart(8, "0")}`,
    "OS-EXT-SRV-ATTR:hypervisor_hostname": isPlaced ? "fakehost" : null,
  };
}
