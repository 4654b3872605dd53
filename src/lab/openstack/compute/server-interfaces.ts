import { empty, json, type ServiceReply } from "../http/reply.js";
import { isObject } from "../world/json.js";
import { ServiceError } from "../world/service-error.js";
import { attachable, join } from "./attach.js";
import { badRequest, conflict, itemNotFound } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { type Attachment, refuseUnfit, type Server } from "./server.js";
import { interfaces } from "./views.js";

const FIT = ["active", "paused", "stopped"] as const;

/** `/servers/<id>/os-interface` and `…/<port>` */
export function handleInterfaces(call: ComputeCall, server: Server): ServiceReply | undefined {
  const { request, path, view } = call;
  const { method } = request;
  const port = path[3];
  const shown = interfaces(view, server);
  if (port === undefined) {
    if (method === "GET") return json(200, { interfaceAttachments: shown });
    return method === "POST" ? attach(call, server) : undefined;
  }
  const held = shown.find(({ port_id }) => port_id === port);
  if (method === "DELETE") return detach(call, server, port, held !== undefined);
  if (held === undefined) throw itemNotFound(`Instance ${server.id} does not have a port with id ${port}`);
  return method === "GET" ? json(200, { interfaceAttachment: held }) : undefined;
}

/** Attaches the interface before it replies. */
function attach({ request, view }: ComputeCall, server: Server): ServiceReply {
  const { world } = view;
  const { requester, body } = request;
  const given = isObject(body) && isObject(body.interfaceAttachment) ? body.interfaceAttachment : {};
  const { net_id, port_id, fixed_ips } = given;
  const [first] = Array.isArray(fixed_ips) ? fixed_ips : [];
  const address = isObject(first) && typeof first.ip_address === "string" ? first.ip_address : undefined;
  if (net_id !== undefined && port_id !== undefined) throw badRequest("Must not input both network_id and port_id");
  if (address !== undefined && net_id === undefined) throw badRequest("Must input network_id when request IP address");
  refuseUnfit(server, requester, "attach_interface", FIT);
  const requested: Attachment =
    port_id === undefined ? { kind: "network", networkId: String(net_id), fixedIp: address } : { kind: "port", portId: String(port_id) };
  try {
    attachable(world, requester, [requested], 1);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (/could not be found/.test(error.message)) throw itemNotFound(error.message);
    throw /already in use/.test(error.message) ? conflict(error.message) : error;
  }
  if (address !== undefined && !world.network.holds(String(net_id), address))
    throw badRequest(`Invalid input received: Fixed IP ${address} is not a valid ip address for network ${String(net_id)}.`);
  const id = join(world, server, requester, requested, []);
  world.compute.actions.note(server.id, "attach_interface", request, world.clock.now());
  return json(200, { interfaceAttachment: interfaces(view, server).find((each) => each.port_id === id) ?? {} });
}

/** Detaches the interface after a delay. Accepts any port that the caller can see. */
function detach({ request, view, interfaceStays }: ComputeCall, server: Server, port: string, isHeld: boolean): ServiceReply {
  const { compute, network, clock } = view.world;
  if (!isHeld) network.get("port", port, request.requester);
  refuseUnfit(server, request.requester, "detach_interface", FIT);
  if (isHeld && !interfaceStays) compute.leave(server, port);
  compute.actions.note(server.id, "detach_interface", request, clock.now());
  return empty(202);
}
