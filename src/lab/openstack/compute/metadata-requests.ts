import { empty, json, type ServiceReply } from "../http/reply.js";
import { isObject, type Json } from "../world/json.js";
import { badRequest, itemNotFound } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { metadataOf } from "./read-server.js";
import type { Server } from "./server.js";

/** `/servers/<id>/metadata` and `/servers/<id>/metadata/<key>`. */
export function handleMetadata({ request, path, view }: ComputeCall, server: Server): ServiceReply | undefined {
  const { method, body } = request;
  const key = path[3];
  const change = (metadata: Record<string, string>): void => {
    server.metadata = metadata;
    server.updated = view.world.clock.now();
  };
  if (key === undefined) {
    if (method === "POST") change({ ...server.metadata, ...given(body, "metadata") });
    else if (method === "PUT") change(given(body, "metadata"));
    else if (method !== "GET") return undefined;
    return json(200, { metadata: server.metadata });
  }
  if (method === "PUT") {
    const meta = given(body, "meta");
    const value = meta[key];
    if (value === undefined) throw badRequest("Request body and URI mismatch");
    change({ ...server.metadata, [key]: value });
    return json(200, { meta: { [key]: value } });
  }
  const value = server.metadata[key];
  if (value === undefined) throw itemNotFound("Metadata item was not found");
  if (method === "GET") return json(200, { meta: { [key]: value } });
  if (method !== "DELETE") return undefined;
  const { [key]: _removed, ...rest } = server.metadata;
  change(rest);
  return empty(204);
}

function given(body: Json | undefined, wrapper: string): Record<string, string> {
  const value = isObject(body) ? body[wrapper] : undefined;
  if (value === undefined) throw badRequest(`'${wrapper}' is a required property`);
  return metadataOf(value);
}
