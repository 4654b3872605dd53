import type { Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import type { OpenstackWorld } from "../world/world.js";
import { badRequest, conflict } from "./errors.js";
import type { Attachment, Server } from "./server.js";

const HOST = "fakehost";
const OWNER = "compute:nova";

/** Refuses errors that the service detects while it accepts the request: unknown networks and ports, addresses in use. */
export function attachable(world: OpenstackWorld, requester: Requester, attachments: readonly Attachment[], count: number): void {
  for (const each of attachments) {
    if (each.kind === "port") {
      if (count > 1)
        throw badRequest(
          "Unable to launch multiple instances with a single configured port ID. Please launch your instance one by one with different ports.",
        );
      const port = seen(() => world.network.get("port", each.portId, requester));
      if (port === undefined) throw badRequest(`Port id ${each.portId} could not be found.`);
      if (port.device_id !== "") throw conflict(`Port ${port.id} is still in use.`);
      if (port.fixed_ips.length === 0) throw badRequest(`Port ${port.id} requires a FixedIP in order to be used.`);
      continue;
    }
    const network = seen(() => world.network.get("network", each.networkId, requester));
    if (network === undefined) throw badRequest(`Network ${each.networkId} could not be found.`);
    if (network.subnets.length === 0) throw badRequest(`Network ${network.id} requires a subnet in order to boot instances on.`);
    if (network["router:external"] && !requester.roles.includes("admin") && !network.shared) {
      throw new ServiceError(403, "forbidden", `It is not allowed to create an interface on external network ${network.id}`);
    }
    if (each.fixedIp === undefined) continue;
    if (count > 1) throw badRequest("Invalid fixed_ip: several servers cannot share one address.");
    const holder = world.network.holder(network.id, each.fixedIp);
    if (holder !== undefined) throw badRequest(`Fixed IP address ${each.fixedIp} is already in use on instance ${holder.device_id}.`);
  }
}

/** Attaches a server to its networks: creates ports, or uses the given ones. A server that will fail gets no ports. */
export function attach(world: OpenstackWorld, server: Server, requester: Requester): void {
  if (server.failsWith !== undefined) return;
  for (const each of server.attachments) join(world, server, requester, each, server.securityGroups);
}

/** Attaches a server to one network or port. Returns the id of the port. */
export function join(
  world: OpenstackWorld,
  server: Server,
  requester: Requester,
  attachment: Attachment,
  securityGroups: readonly string[],
): string {
  const admin: Requester = { ...requester, roles: [...requester.roles, "admin"] };
  const device = { device_id: server.id, device_owner: OWNER, "binding:host_id": HOST };
  if (attachment.kind === "port") {
    world.network.update("port", admin, attachment.portId, device);
    return attachment.portId;
  }
  const port = world.network.create("port", admin, {
    ...device,
    network_id: attachment.networkId,
    project_id: server.projectId,
    ...(attachment.fixedIp === undefined ? {} : { fixed_ips: [{ ip_address: attachment.fixedIp }] }),
    ...(securityGroups.length === 0 ? {} : { security_groups: [...securityGroups] }),
  });
  server.ownPorts.add(port.id);
  return port.id;
}

/** Detaches a server from its networks, or from one port. Deletes its own ports and frees the given ones. */
export function detach(world: OpenstackWorld, server: Server, only?: string): void {
  const { ports } = world.network;
  for (const port of ports.ofDevice(server.id)) {
    if (only !== undefined && port.id !== only) continue;
    if (server.ownPorts.has(port.id)) ports.discard(port);
    else ports.update(port, { device_id: "", device_owner: "", "binding:host_id": "" });
  }
}

function seen<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
