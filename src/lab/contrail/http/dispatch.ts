import { writeJson } from "../../../core/json/write.js";
import { checkAccessLists, operationOf } from "../access/access-lists.js";
import { isOpenToAll } from "../access/authenticate.js";
import { ACTIONS } from "../actions/actions.js";
import { NeutronError } from "../neutron/neutron-error.js";
import { resourceType } from "../schema/resource-types.js";
import { ControllerError } from "../world/controller-error.js";
import { bodyOf, type Call } from "./call.js";
import { discovery } from "./discovery.js";
import { type ContrailReply, json, NOTHING, text } from "./reply.js";
import { create, list, read, remove, update } from "./resources.js";

/** Handles a call. Throws refusals as `ControllerError`. */
export function dispatch(call: Call): ContrailReply {
  const { request, gate } = call;
  const method = request.method === "HEAD" ? "GET" : request.method;
  const { path } = request;
  if (path === "/") return json(discovery(request.base));
  if (isOpenToAll(path)) throw new ControllerError(404, "File does not exist.");
  const [first = "", second, ...rest] = path.slice(1).split("/");
  if (gate.mode === "rbac") checkAccessLists(call.world, call.caller, operationOf(method), accessObject(first));
  const action = Object.hasOwn(ACTIONS, `${method} ${path}`) ? ACTIONS[`${method} ${path}`] : undefined;
  if (action !== undefined) return action(call);
  if (first === "neutron" && second !== undefined && rest.length === 0 && method === "POST") return neutron(call, second);
  if (rest.length === 0) {
    const reply = onResources(call, method, first, second);
    if (reply !== undefined) return reply;
  }
  throw new ControllerError(404, `Not found: '${path}'`);
}

/** Name of a path's first part in access lists: a resource type, or the action. */
function accessObject(first: string): string {
  return typeOfCollection(first) ?? first;
}

function typeOfCollection(name: string): string | undefined {
  return name.endsWith("s") && !name.includes("_") ? resourceType(name.slice(0, -1)) : undefined;
}

function onResources(call: Call, method: string, first: string, uuid: string | undefined): ContrailReply | undefined {
  if (uuid === undefined) {
    const type = typeOfCollection(first);
    if (type === undefined) return undefined;
    if (method === "GET") return list(call, type);
    return method === "POST" ? create(call, type) : notAllowed("GET,POST");
  }
  const type = first.includes("_") ? undefined : resourceType(first);
  if (type === undefined || uuid === "") return undefined;
  if (method === "GET") return read(call, type, uuid);
  if (method === "PUT") return update(call, type, uuid);
  return method === "DELETE" ? remove(call, type, uuid) : notAllowed("DELETE,GET,PUT");
}

function notAllowed(allow: string): ContrailReply {
  return text(405, "Method not allowed.", { allow });
}

/** `POST /neutron/<resource>`: lists and refusals are JSON with the content type of HTML. */
function neutron({ world, request }: Call, resource: string): ContrailReply {
  if (world.neutron === undefined) throw new ControllerError(404, `Not found: '${request.path}'`);
  try {
    const answer = world.neutron.handle(resource, bodyOf(request));
    if (answer === undefined) return NOTHING;
    return Array.isArray(answer) ? text(200, writeJson(answer)) : json(answer);
  } catch (error) {
    if (error instanceof NeutronError) return text(400, writeJson(error.body));
    throw error;
  }
}
