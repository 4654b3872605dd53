import { empty, json, type ServiceReply } from "../http/reply.js";
import type { AuthenticatedRequest } from "../http/request.js";
import { isObject } from "../world/json.js";
import { isAdmin } from "../world/requester.js";
import { badRequest, disallowed } from "./errors.js";
import type { NetworkService } from "./network-service.js";

/** `/v2.0/quotas` and `/v2.0/quotas/<project>`, with details of usage. */
export function handleQuotas({ store: { quotas } }: NetworkService, request: AuthenticatedRequest): ServiceReply | undefined {
  const { method, path, requester, body } = request;
  const [, , project, details] = path;
  const admin = isAdmin(requester);
  if (project === undefined) {
    if (method !== "GET") return undefined;
    if (!admin) throw disallowed("rule:get_quota");
    return json(200, { quotas: quotas.projects().map((id) => ({ ...quotas.of(id), project_id: id, tenant_id: id })) });
  }
  if (!admin && project !== requester.projectId) throw disallowed("rule:get_quota");
  if (method === "GET" && (details === "details.json" || details === "details")) {
    const each = Object.entries(quotas.of(project)).map(([kind, limit]) => [
      kind,
      { limit, used: quotas.used(project, kind), reserved: 0 },
    ]);
    return json(200, { quota: Object.fromEntries(each) });
  }
  if (method === "GET") return json(200, { quota: quotas.of(project) });
  if (!admin) throw disallowed(method === "PUT" ? "rule:update_quota" : "rule:delete_quota");
  if (method === "DELETE") {
    quotas.reset(project);
    return empty(204);
  }
  if (method !== "PUT") return undefined;
  quotas.set(project, limitsOf(body, quotas.of(project)));
  return json(200, { quota: quotas.of(project) });
}

function limitsOf(body: unknown, known: Readonly<Record<string, number>>): Record<string, number> {
  const given = isObject(body) ? body.quota : undefined;
  if (!isObject(given)) throw badRequest("Unable to find 'quota' in request body");
  const unknown = Object.keys(given).filter((name) => !(name in known));
  if (unknown.length > 0) throw badRequest(`Unrecognized attribute(s) '${unknown.join(", ")}'`);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
}
