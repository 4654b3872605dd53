import { empty, json, type ServiceReply } from "../http/reply.js";
import { isObject, type Json, type JsonObject } from "../world/json.js";
import { isAdmin, owns, type Requester } from "../world/requester.js";
import { badRequest, forbidden, invalidField, itemNotFound, show } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";

/** Servers that are to be on one host, or each on another. */
export interface ServerGroup {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly userId: string;
  readonly policy: string;
  readonly maxServerPerHost: number | undefined;
}

/** Server groups of all projects, in the order in which they came. */
export class ServerGroups {
  readonly all = new Map<string, ServerGroup>();

  get(id: string, requester: Requester): ServerGroup {
    const group = this.all.get(id);
    if (group === undefined || !owns(requester, group.projectId)) throw itemNotFound(`Instance group ${id} could not be found.`);
    return group;
  }

  of(projectId: string | undefined): ServerGroup[] {
    return [...this.all.values()].filter((group) => group.projectId === projectId);
  }
}

const HARD = ["anti-affinity", "affinity"];
const SOFT = ["soft-anti-affinity", "soft-affinity"];

/** From which minor version on: soft policies, `policy` and `rules`, who made it. */
const SINCE = { soft: 15, rules: 64, maker: 13 };

/** `/os-server-groups` and `/os-server-groups/<id>` */
export function handleServerGroups(call: ComputeCall): ServiceReply | undefined {
  const { request, path, view } = call;
  const { method, requester, query } = request;
  const { compute } = view.world;
  const [, id, ...rest] = path;
  if (rest.length > 0) return undefined;
  if (id === undefined && method === "POST") return json(200, { server_group: shown(call, create(call)) });
  if (id === undefined) {
    if (method !== "GET") return undefined;
    const groups =
      query.has("all_projects") && isAdmin(requester) ? [...compute.groups.all.values()] : compute.groups.of(requester.projectId);
    const offset = Number(query.get("offset") ?? 0);
    const limit = Math.min(Number(query.get("limit") ?? 0) || compute.pageMaximum, compute.pageMaximum);
    return json(200, { server_groups: groups.slice(offset, offset + limit).map((group) => shown(call, group)) });
  }
  const group = compute.groups.get(id, requester);
  if (method === "GET") return json(200, { server_group: shown(call, group) });
  if (method !== "DELETE") return undefined;
  compute.groups.all.delete(group.id);
  return empty(204);
}

function create({ request, view }: ComputeCall): ServerGroup {
  const { requester, body } = request;
  const { compute, identifiers } = view.world;
  const given = isObject(body) ? body.server_group : undefined;
  if (!isObject(given)) throw badRequest("'server_group' is a required property");
  const { name } = given;
  if (typeof name !== "string") throw invalidField("name", name, `${show(name, true)} is not of type 'string'`);
  if (name === "") throw invalidField("name", name, "'' is too short");
  if (name.length > 255) throw invalidField("name", name, `'${name}' is too long`);
  if (name !== name.trim()) throw invalidField("name", name, `Invalid input for field/attribute name. Value: ${name}.`);
  const policy = policyOf(given, view.version);
  const projectId = requester.projectId ?? "";
  if (compute.groups.of(projectId).length >= compute.limits(projectId).server_groups)
    throw forbidden("Quota exceeded, too many server groups.");
  const rules = isObject(given.rules) ? given.rules : {};
  const most = rules.max_server_per_host;
  if (policy !== "anti-affinity" && most !== undefined) throw badRequest("Only anti-affinity policy supports rules.");
  const group: ServerGroup = {
    id: identifiers.uuid(),
    name,
    projectId,
    userId: requester.userId,
    policy,
    maxServerPerHost: most === undefined ? undefined : Number(most),
  };
  compute.groups.all.set(group.id, group);
  return group;
}

function policyOf(given: JsonObject, version: number): string {
  const [member, other] = version >= SINCE.rules ? ["policy", "policies"] : ["policies", "policy"];
  const known = ["name", member, ...(version >= SINCE.rules ? ["rules"] : [])];
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (given[member] === undefined && (unknown === undefined || unknown === other))
    throw invalidField("server_group", given, `'${member}' is a required property`);
  if (unknown !== undefined)
    throw invalidField("server_group", given, `Additional properties are not allowed ('${unknown}' was unexpected)`);
  const listed = given.policies;
  if (listed !== undefined && !Array.isArray(listed))
    throw invalidField("policies", listed, `${show(listed, true)} is not of type 'array'`);
  if (Array.isArray(listed) && listed.length > 1) throw invalidField("policies", listed, `${show(listed, true)} is too long`);
  const policy: Json | undefined = member === "policy" ? given.policy : (given.policies as Json[])[0];
  const policies = version >= SINCE.soft ? [...HARD, ...SOFT] : HARD;
  if (typeof policy === "string" && policies.includes(policy)) return policy;
  throw invalidField(member === "policy" ? "policy" : "0", policy, `${show(policy, true)} is not one of ${show(policies)}`);
}

function shown({ view }: ComputeCall, { id, name, policy, maxServerPerHost, projectId, userId }: ServerGroup): JsonObject {
  const rules: JsonObject = maxServerPerHost === undefined ? {} : { max_server_per_host: maxServerPerHost };
  return {
    id,
    name,
    ...(view.version >= SINCE.rules ? { policy, rules } : { policies: [policy], metadata: {} }),
    members: view.world.compute.membersOf(id),
    ...(view.version >= SINCE.maker ? { project_id: projectId, user_id: userId } : {}),
  };
}
