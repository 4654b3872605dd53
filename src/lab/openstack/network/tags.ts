import { empty, json, type ServiceReply } from "../http/reply.js";
import type { AuthenticatedRequest } from "../http/request.js";
import { isObject } from "../world/json.js";
import { owns } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { badRequest, disallowed, invalidInput, type NetworkKind } from "./errors.js";
import type { NetworkService } from "./network-service.js";

/** `/v2.0/<kinds>/<id>/tags` and `/tags/<tag>`. */
export function handleTags(service: NetworkService, kind: NetworkKind, request: AuthenticatedRequest): ServiceReply | undefined {
  const { method, path, requester, body } = request;
  const object = service.get(kind, path[2] ?? "", requester);
  const tag = path[4];
  const replace = (tags: readonly string[]): void => {
    if (!owns(requester, object.project_id)) throw disallowed(`rule:update_${kind}_tags`);
    service.store.change(kind, object, { tags: [...new Set(tags)].sort() });
  };
  if (tag === undefined) {
    if (method === "GET") return json(200, { tags: object.tags });
    if (method === "PUT") {
      replace(tagsOf(body));
      return json(200, { tags: object.tags });
    }
    if (method !== "DELETE") return undefined;
    replace([]);
    return empty(204);
  }
  if (method === "PUT") {
    replace([...object.tags, tag]);
    return json(201, null);
  }
  if (method !== "GET" && method !== "DELETE") return undefined;
  if (!object.tags.includes(tag)) throw new ServiceError(404, "TagNotFound", `Tag ${tag} could not be found.`);
  if (method === "DELETE") replace(object.tags.filter((each) => each !== tag));
  return empty(204);
}

function tagsOf(body: unknown): string[] {
  const tags = isObject(body) ? body.tags : undefined;
  if (tags === undefined) throw badRequest("Invalid tags body");
  return checkedTags(tags);
}

/** @throws ServiceError if the value is not a valid list of tags */
export function checkedTags(tags: unknown): string[] {
  if (!Array.isArray(tags)) throw invalidInput(`'${String(tags)}' is not a list`);
  const bad = tags.find((tag) => typeof tag !== "string" || tag.length > 255);
  if (bad !== undefined) throw invalidInput(`'${String(bad)}' is not a valid tag`);
  const twice = tags.find((tag, index) => tags.indexOf(tag) !== index);
  if (twice !== undefined) throw invalidInput(`'${String(tags)}' contains the duplicate '${String(twice)}'`);
  return tags.map(String);
}
