import { empty, json, type ServiceReply } from "../http/reply.js";
import { isObject } from "../world/json.js";
import { badRequest, conflict, itemNotFound } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import type { Server } from "./server.js";

/** From this minor version on servers have tags. */
const HAS_TAGS = 26;
const MOST = 50;
const FIT: ReadonlySet<Server["vmState"]> = new Set(["active", "paused", "stopped"]);

/** `/servers/<id>/tags` and `/servers/<id>/tags/<tag>`. */
export function handleTags({ request, path, view }: ComputeCall, server: Server): ServiceReply | undefined {
  if (view.version < HAS_TAGS) return undefined;
  const { method, body } = request;
  const tag = path[3];
  if (method === "GET" && tag === undefined) return json(200, { tags: [...server.tags] });
  if (method === "GET") return server.tags.includes(tag ?? "") ? empty(204) : nothing(server, tag ?? "");
  const words = `${method === "PUT" ? "update" : "delete"} tag${tag === undefined ? "s" : ""}`;
  if (!FIT.has(server.vmState)) throw conflict(`Cannot '${words}' instance ${server.id} while it is in vm_state ${server.vmState}`);
  if (method === "PUT" && tag === undefined) {
    const given = isObject(body) && Array.isArray(body.tags) ? body.tags : undefined;
    if (given === undefined) throw badRequest("'tags' is a required property");
    server.tags = [...new Set(given.map(String))];
    return json(200, { tags: [...server.tags] });
  }
  if (method === "PUT") return add(server, tag ?? "");
  if (method !== "DELETE") return undefined;
  if (tag !== undefined && !server.tags.includes(tag)) return nothing(server, tag);
  server.tags = tag === undefined ? [] : server.tags.filter((each) => each !== tag);
  return empty(204);
}

function add(server: Server, tag: string): ServiceReply {
  if (tag === "" || tag.length > 60 || /[/,]/.test(tag))
    throw badRequest(`Tag '${tag}' is invalid. It must be a non empty string without characters '/' and ','.`);
  if (server.tags.length >= MOST) throw badRequest(`The number of tags exceeded the per-server limit ${MOST}`);
  if (server.tags.includes(tag)) return empty(204);
  server.tags = [...server.tags, tag];
  return empty(201);
}

function nothing({ id }: Server, tag: string): never {
  throw itemNotFound(`Server ${id} has no tag '${tag}'`);
}
