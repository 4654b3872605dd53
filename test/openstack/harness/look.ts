import type { Answer, Session } from "./session.js";

/** The live object by plain HTTP; undefined if there is none with that name. */
export const networkNamed = (user: Session, name: string): Promise<Answer["json"]> =>
  user.named("network", "/v2.0/networks", "networks", name);

export const subnetNamed = (user: Session, name: string): Promise<Answer["json"]> =>
  user.named("network", "/v2.0/subnets", "subnets", name);

export const serverNamed = (user: Session, name: string): Promise<Answer["json"]> =>
  user.named("compute", "/servers/detail", "servers", name);

/** A server with its description, tags and lock. */
export async function wholeServerNamed(user: Session, name: string): Promise<Answer["json"]> {
  const { id } = await serverNamed(user, name);
  return (await user.request("compute", "GET", `/servers/${id}`, undefined, "2.26")).json.server;
}

export const volumeNamed = (user: Session, name: string): Promise<Answer["json"]> =>
  user.named("volumev3", "/volumes/detail", "volumes", name);

/** Names of volumes by the last letter of the device that a server has them as: `a root`. */
export async function disksOf(user: Session, name: string): Promise<string[]> {
  const { id } = await serverNamed(user, name);
  const volumes = await user.list("volumev3", "/volumes/detail", "volumes");
  const held = volumes.flatMap((volume) =>
    volume.attachments
      .filter(({ server_id }: { server_id: string }) => server_id === id)
      .map(({ device }: { device: string }) => `${device.at(-1)} ${volume.name}`),
  );
  return held.sort();
}

/** Names of the networks that the project owns, sorted. */
export async function ownNetworks(user: Session): Promise<string[]> {
  const project = await user.projectId();
  const networks = await user.list("network", "/v2.0/networks", "networks");
  return networks
    .filter((network) => network.project_id === project)
    .map(({ name }) => name)
    .sort();
}

/** The floating IP whose mark has this key; undefined if there is none. Throws if there are several. */
export async function floatingIpKeyed(user: Session, key: string): Promise<Answer["json"]> {
  const found = await user.list("network", `/v2.0/floatingips?tags=${encodeURIComponent(`plumbline:key=${key}`)}`, "floatingips");
  if (found.length > 1) throw new Error(`${found.length} floating IPs are ${key}`);
  return found[0];
}

/** Ids of the ports of a server. */
export async function portsOfServer(user: Session, name: string): Promise<string[]> {
  const { id } = await serverNamed(user, name);
  return (await user.list("network", `/v2.0/ports?device_id=${id}`, "ports")).map((port) => port.id);
}

/** Interfaces of a server: names of its ports, and of the networks of ports that the service created; each with its security groups. */
export async function interfacesOf(user: Session, name: string): Promise<string[]> {
  const { id } = await serverNamed(user, name);
  const ports = await user.list("network", `/v2.0/ports?device_id=${id}`, "ports");
  const [networks, groups] = await Promise.all([
    user.list("network", "/v2.0/networks", "networks"),
    user.list("network", "/v2.0/security-groups", "security_groups"),
  ]);
  const nameIn = (all: readonly Answer["json"][], wanted: string) => all.find((each) => each.id === wanted)?.name;
  return ports
    .map((port) => {
      const held = port.security_groups.map((group: string) => nameIn(groups, group)).sort();
      return [port.name || nameIn(networks, port.network_id), ...held].join(" ");
    })
    .sort();
}

/**
 * The real service chooses addresses of the pool at random. These are the free ones of the public network, as an administrator sees them.
 */
export async function freeAddresses(admin: Session): Promise<string[]> {
  const ports = await admin.list("network", "/v2.0/ports", "ports");
  const taken = new Set(ports.flatMap((port) => port.fixed_ips.map((each: { ip_address: string }) => each.ip_address)));
  return Array.from({ length: 200 }, (_, at) => `203.0.113.${at + 20}`).filter((each) => !taken.has(each));
}
