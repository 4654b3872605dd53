import { empty, json, type ServiceReply } from "../http/reply.js";
import { isObject } from "../world/json.js";
import { badRequest, conflict, forbidden, invalidField } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { listInstanceActions } from "./instance-actions.js";
import { handleMetadata } from "./metadata-requests.js";
import { cut } from "./page.js";
import { readServer } from "./read-server.js";
import { type Server, statusOf } from "./server.js";
import { act } from "./server-actions.js";
import { handleInterfaces } from "./server-interfaces.js";
import { handleVolumeAttachments } from "./server-volumes.js";
import { handleTags } from "./tag-requests.js";
import { briefServer, detailedServer, links, updatedServer } from "./views.js";

/** Handles `/servers` and its subpaths. */
export function handleServers(call: ComputeCall): ServiceReply | undefined {
  const { request, path, view } = call;
  const { method, requester } = request;
  const { compute } = view.world;
  const [, id, part] = path;
  if (id === undefined) return method === "GET" ? list(call, false) : method === "POST" ? create(call) : undefined;
  if (id === "detail" && method === "GET") return list(call, true);
  if (part === "os-instance-actions" && method === "GET") return listInstanceActions(call, id);
  const server = compute.get(id, requester);
  if (part === "metadata") return handleMetadata(call, server);
  if (part === "tags") return handleTags(call, server);
  if (part === "os-volume_attachments") return handleVolumeAttachments(call, server);
  if (part === "action") return method === "POST" ? act(call, server) : undefined;
  if (part === "os-interface") return handleInterfaces(call, server);
  if (part !== undefined) return undefined;
  if (method === "GET") return json(200, { server: detailedServer(view, server) });
  if (method === "PUT") return update(call, server);
  if (method !== "DELETE") return undefined;
  compute.delete(id, requester);
  compute.actions.note(id, "delete", request, view.world.clock.now());
  return empty(204);
}

function create({ request, view, strict, failsWith }: ComputeCall): ServiceReply {
  const { requester, body, path } = request;
  const wanted = readServer(view.world, requester, body, view.version, strict);
  const { compute, clock } = view.world;
  const made = compute.create(requester, { ...wanted, failsWith });
  for (const { id } of made) compute.actions.note(id, "create", request, clock.now());
  const [first] = made;
  if (first === undefined) throw conflict("No server was made.");
  const requested = isObject(body) && isObject(body.server) ? body.server : {};
  if (requested.return_reservation_id === true) return json(202, { reservation_id: `r-${first.id.slice(0, 8)}` });
  const adminPass = typeof requested.adminPass === "string" ? requested.adminPass : view.world.identifiers.text(12);
  const security_groups =
    requested.security_groups === undefined
      ? ["default"]
      : wanted.securityGroups.map((id) => view.world.network.store.get("security_group", id).name);
  const server = {
    id: first.id,
    links: links(view, "servers", first.id),
    "OS-DCF:diskConfig": "MANUAL",
    security_groups: security_groups.map((name) => ({ name })),
    adminPass,
  };
  return json(202, { server }, { location: `${view.self}/${path.at(-1)}/${first.id}` });
}

function list({ request, view, url }: ComputeCall, detail: boolean): ServiceReply {
  const { query, requester } = request;
  const { compute } = view.world;
  refuseSort(query);
  const all = isOn(query.get("all_tenants"));
  if (all && !view.admin) throw forbidden("Policy doesn't allow os_compute_api:servers:index:get_all_tenants to be performed.");
  const since = sinceOf(query);
  const live = compute.servers(requester.projectId, all);
  const known = since === undefined ? live : [...compute.deleted(requester.projectId), ...live].filter(({ updated }) => updated >= since);
  const matching = known.filter(filterOf(query));
  const { objects, links: more } = cut("servers", matching, (server) => server.id, query, compute.pageMaximum, url);
  return json(200, { servers: objects.map((server) => (detail ? detailedServer : briefServer)(view, server)), ...more });
}

const SORT_KEYS = new Set(
  "access_ip_v4 access_ip_v6 architecture auto_disk_config availability_zone cell_name cleaned config_drive created_at default_ephemeral_device default_swap_device deleted deleted_at disable_terminate display_description display_name ephemeral_gb ephemeral_key_uuid host hostname id image_ref instance_type_id kernel_id key_data key_name launch_index launched_at launched_on locked locked_by memory_mb node os_type power_state progress project_id ramdisk_id reservation_id root_device_name root_gb shutdown_terminate task_state terminated_at updated_at user_data user_id uuid vcpus vm_mode vm_state".split(
    " ",
  ),
);

/** The lab lists servers by creation order; it only refuses the sort keys and directions that the service refuses. */
function refuseSort(query: URLSearchParams): void {
  const key = query.getAll("sort_key").find((each) => !SORT_KEYS.has(each));
  if (key !== undefined)
    throw badRequest(`Invalid input for query parameters sort_key. Value: ${key}. '${key}' is not one of the sort keys`);
  const direction = query.getAll("sort_dir").find((each) => each !== "asc" && each !== "desc");
  if (direction !== undefined) throw badRequest(`Unknown sort direction, must be one of asc, desc: ${direction}`);
}

function sinceOf(query: URLSearchParams): number | undefined {
  const text = query.get("changes-since");
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw badRequest(`Invalid input for query parameters changes-since. Value: ${text}. '${text}' is not a 'date-time'`);
  return time;
}

/** `name` is a pattern that may match anywhere in the name. Unknown filters are ignored. */
function filterOf(query: URLSearchParams): (server: Server) => boolean {
  const name = query.get("name");
  const pattern = name === null ? undefined : patternOf(name);
  const status = query.get("status")?.toUpperCase();
  const [image, flavor] = [query.get("image"), query.get("flavor")];
  const tags = query.get("tags")?.split(",");
  return (server) =>
    (pattern === undefined || pattern.test(server.name)) &&
    (status === undefined || statusOf(server) === status) &&
    (image === null || server.imageId === image) &&
    (flavor === null || server.flavor.id === flavor) &&
    (tags === undefined || tags.every((tag) => server.tags.includes(tag)));
}

function patternOf(name: string): RegExp {
  try {
    return new RegExp(name);
  } catch {
    throw badRequest(`Invalid input for query parameters name. Value: ${name}. '${name}' is not a 'regex'`);
  }
}

function update({ request, view, strict }: ComputeCall, server: Server): ServiceReply {
  const given = isObject(request.body) ? request.body.server : undefined;
  if (!isObject(given)) throw badRequest("'server' is a required property");
  const known = ["name", "OS-DCF:diskConfig", "accessIPv4", "accessIPv6", ...(view.version >= 19 ? ["description"] : [])];
  const unknown = strict ? Object.keys(given).find((name) => !known.includes(name)) : undefined;
  if (unknown !== undefined) throw invalidField("server", given, `Additional properties are not allowed ('${unknown}' was unexpected)`);
  const { name, description } = given;
  if (name !== undefined && (typeof name !== "string" || name === "")) throw invalidField("name", name, "a name is needed");
  if (name !== undefined && name.length > 255) throw invalidField("name", name, `'${name}' is too long`);
  if (typeof description === "string" && description.length > 255)
    throw invalidField("description", description, `'${description}' is too long`);
  if (name !== undefined) server.name = name;
  if (description !== undefined) server.description = typeof description === "string" ? description : null;
  server.updated = view.world.clock.now();
  return json(200, { server: updatedServer(view, server) });
}

function isOn(value: string | null): boolean {
  return value !== null && !["0", "false", "no", "off"].includes(value.toLowerCase());
}
