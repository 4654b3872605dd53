import { json, type ServiceReply } from "../http/reply.js";
import { isObject, type JsonObject } from "../world/json.js";
import { isAdmin } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { badRequest, conflict, forbidden, invalidField } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { refuseUnfit, type Server } from "./server.js";

/** A change of the state of a server. `to` is undefined if the server keeps its state. */
interface Transition {
  readonly from: readonly Server["vmState"][];
  readonly to: Server["vmState"] | undefined;
  readonly taskState: string;
  /** Tasks that do not forbid the change. */
  readonly during?: readonly string[];
}

const TRANSITIONS = {
  "os-start": { from: ["stopped"], to: "active", taskState: "powering-on" },
  "os-stop": { from: ["active", "error"], to: "stopped", taskState: "powering-off" },
  pause: { from: ["active"], to: "paused", taskState: "pausing" },
  unpause: { from: ["paused"], to: "active", taskState: "unpausing" },
  suspend: { from: ["active"], to: "suspended", taskState: "suspending" },
  resume: { from: ["suspended"], to: "active", taskState: "resuming" },
  unrescue: { from: ["rescued"], to: "active", taskState: "unrescuing" },
} as const satisfies Readonly<Record<string, Transition>>;

/** Starts one of the simple changes of state. */
export function switchState(name: keyof typeof TRANSITIONS): (call: ComputeCall, server: Server) => undefined {
  return (call, server) => {
    const isOfHost = name === "os-start" || name === "os-stop";
    if (isOfHost && server.vmState === "shelved_offloaded") throw conflict(`Instance ${server.id} is not ready`);
    begin(call, server, name.replace("os-", ""), TRANSITIONS[name]);
  };
}

function begin({ request, view }: ComputeCall, server: Server, action: string, { from, to, taskState, during }: Transition): void {
  refuseUnfit(server, request.requester, action, from, during);
  view.world.compute.begin(server, taskState, view.world.compute.actionDuration, () => {
    if (to !== undefined) server.vmState = to;
  });
}

const REBOOTS = {
  SOFT: { from: ["active"], to: undefined, taskState: "rebooting" },
  HARD: {
    from: ["active", "stopped", "paused", "suspended", "error"],
    to: "active",
    taskState: "rebooting_hard",
    during: ["rebooting", "rebooting_hard", "pausing", "unpausing", "suspending", "resuming"],
  },
} as const satisfies Readonly<Record<string, Transition>>;

/** A hard reboot also starts a server that does not run. */
export function reboot(call: ComputeCall, server: Server): undefined {
  const given = bodyOf(call, "reboot");
  if (!isObject(given)) throw invalidField("reboot", given, `${String(given)} is not of type 'object'`);
  const { type } = given;
  if (type === undefined) throw invalidField("reboot", given, "'type' is a required property");
  const kinds = ["HARD", "Hard", "hard", "SOFT", "Soft", "soft"];
  if (!kinds.includes(String(type))) throw invalidField("type", type, `'${String(type)}' is not one of ['${kinds.join("', '")}']`);
  begin(call, server, "reboot", REBOOTS[String(type).toUpperCase() as "SOFT" | "HARD"]);
}

/** Maximum length of an image's name. */
const LONGEST_NAME = 255;

/** Releases the host. The service keeps the root disk of a server without a boot volume in an image until the server is unshelved. */
export function shelve({ request, view }: ComputeCall, server: Server): undefined {
  const { compute, images } = view.world;
  refuseUnfit(server, request.requester, "shelve", ["active", "stopped", "paused", "suspended"]);
  if (server.imageId !== undefined) {
    // If its own name of the image is too long, the service ends with an internal error, and the server stays in its task.
    if (`${server.name}-shelved`.length > LONGEST_NAME) {
      server.taskState = "shelving";
      throw new ServiceError(500, "computeFault", "Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/");
    }
    const more = { visibility: "private", status: "queued", size: 0, virtual_size: 0 } as const;
    server.shelvedImageId = images.add(`${server.name}-shelved`, server.projectId, more).id;
  }
  compute.begin(server, "shelving", compute.actionDuration, () => {
    server.vmState = "shelved_offloaded";
  });
}

/** Only for administrators. The lab releases the host when it shelves a server, so no server waits for this. */
export function shelveOffload({ request }: ComputeCall, server: Server): never {
  if (!isAdmin(request.requester)) throw forbidden("Policy doesn't allow os_compute_api:os-shelve:shelve_offload to be performed.");
  throw conflict(`Cannot 'shelveOffload' instance ${server.id} while it is in vm_state ${server.vmState}`);
}

export function unshelve({ request, view }: ComputeCall, server: Server): undefined {
  const { compute } = view.world;
  const given = bodyOf({ request }, "unshelve");
  const zone = view.version >= 77 && isObject(given) ? given.availability_zone : undefined;
  refuseUnfit(server, request.requester, "unshelve", ["shelved", "shelved_offloaded"]);
  if (zone !== undefined && zone !== null && zone !== server.availabilityZone)
    throw badRequest("The requested availability zone is not available");
  compute.begin(server, "unshelving", compute.actionDuration, (at) => {
    server.vmState = "active";
    server.launchedAt = at;
    compute.discardShelvedImage(server);
  });
}

const RESCUE_FIELDS = ["adminPass", "rescue_image_ref"];
const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Boots a server from a rescue image. The service answers with the password of that system. */
export function rescue({ request, view }: ComputeCall, server: Server): ServiceReply {
  const { compute, images, identifiers } = view.world;
  const given = rescueBody(bodyOf({ request }, "rescue"));
  const image = given.rescue_image_ref;
  refuseUnfit(server, request.requester, "rescue", ["active", "stopped", "error"]);
  if (typeof image === "string" && images.get(image, request.requester.projectId, view.admin) === undefined)
    throw badRequest(`Requested rescue image '${image}' is not supported`);
  compute.begin(server, "rescuing", compute.actionDuration, (at) => {
    server.vmState = "rescued";
    server.launchedAt = at;
  });
  return json(200, { adminPass: given.adminPass ?? identifiers.text(12) });
}

/** Validates the body like Nova's schema. */
function rescueBody(given: unknown): JsonObject {
  if (given === null) return {};
  if (!isObject(given)) throw invalidField("rescue", given, `'${String(given)}' is not of type 'object', 'null'`);
  const unknown = Object.keys(given).find((name) => !RESCUE_FIELDS.includes(name));
  if (unknown !== undefined) throw invalidField("rescue", given, `Additional properties are not allowed ('${unknown}' was unexpected)`);
  const { adminPass: password, rescue_image_ref: image } = given;
  if (password !== undefined && typeof password !== "string")
    throw invalidField("adminPass", password, `${String(password)} is not of type 'string'`);
  if (image !== undefined && !(typeof image === "string" && UUID.test(image)))
    throw invalidField("rescue_image_ref", image, `'${String(image)}' is not a 'uuid'`);
  return given;
}

function bodyOf({ request }: Pick<ComputeCall, "request">, action: string): unknown {
  return isObject(request.body) ? request.body[action] : undefined;
}
