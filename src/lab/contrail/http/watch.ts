import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../core/json/value.js";
import { writeJson } from "../../../core/json/write.js";
import { collectionOf, resourceType } from "../schema/resource-types.js";
import { badRequest, ControllerError } from "../world/controller-error.js";
import { renderListed } from "../world/render.js";
import { joinedName, type StoredObject } from "../world/stored-object.js";
import type { ContrailWorld } from "../world/world.js";
import type { ContrailRequest } from "./request.js";

/** Types of a watcher with the fields of each. Undefined means all fields. */
export type WatchedTypes = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** Reads `resource_type` (names with `_`) and `<type>_fields`. */
export function watchedTypes({ query }: ContrailRequest): WatchedTypes {
  const names = query.get("resource_type");
  if (names === null) throw badRequest("resource_type required in request");
  return new Map(
    names.split(",").map((name) => {
      const type = resourceType(name);
      if (type === undefined) throw new ControllerError(404, `Invalid Contrail resource type:'${name}'`);
      const fields = query.get(`${name}_fields`);
      return [type, fields === null ? undefined : new Set(fields.split(","))];
    }),
  );
}

const KEEP_ALIVE = 60_000;

/** Sends the current state of each type, then every change, until the client disconnects. */
export function serveWatch(world: ContrailWorld, types: WatchedTypes, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const [type, fields] of types) {
    const objects = [...world.store.ofType(type)].sort((a, b) => (joinedName(a.fqName) < joinedName(b.fqName) ? -1 : 1));
    send(response, "init", { [collectionOf(type)]: objects.map((object) => ({ [type]: shown(world, object, fields) })) });
  }
  const stop = world.watch(({ kind, object }) => {
    if (!types.has(object.type)) return;
    const document = kind === "delete" ? { uuid: object.uuid } : shown(world, object, types.get(object.type));
    send(response, kind, { [object.type]: document });
  });
  const beat = setInterval(() => response.write(":\n\n"), KEEP_ALIVE);
  beat.unref();
  response.once("close", () => {
    clearInterval(beat);
    stop();
  });
}

function shown(world: ContrailWorld, object: StoredObject, fields: ReadonlySet<string> | undefined): JsonObject {
  return renderListed(world, object, undefined, { fields, detail: fields === undefined });
}

function send(response: ServerResponse, event: string, data: JsonObject): void {
  response.write(`event: ${event}\ndata: ${writeJson(data)}\n\n`);
}
