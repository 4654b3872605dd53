import { empty, json, type ServiceReply } from "../http/reply.js";
import type { Image } from "../image/images.js";
import { isObject } from "../world/json.js";
import { isAdmin } from "../world/requester.js";
import { badRequest, forbidden } from "./errors.js";
import type { Flavor } from "./flavors.js";
import type { ComputeCall } from "./handle-compute.js";
import { reboot, rescue, shelve, shelveOffload, switchState, unshelve } from "./power-actions.js";
import { fail, refuseUnfit, type Server } from "./server.js";
import { detailedServer } from "./views.js";

const GIB = 1024 ** 3;

/** An action, and its name in the list of instance actions, if it appears there. The default reply is 202 without a body. */
interface Action {
  readonly noted?: string;
  act(call: ComputeCall, server: Server): ServiceReply | undefined;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  "os-start": { noted: "start", act: switchState("os-start") },
  "os-stop": { noted: "stop", act: switchState("os-stop") },
  pause: { noted: "pause", act: switchState("pause") },
  unpause: { noted: "unpause", act: switchState("unpause") },
  suspend: { noted: "suspend", act: switchState("suspend") },
  resume: { noted: "resume", act: switchState("resume") },
  reboot: { noted: "reboot", act: reboot },
  shelve: { noted: "shelve", act: shelve },
  shelveOffload: { act: shelveOffload },
  unshelve: { noted: "unshelve", act: unshelve },
  rescue: { noted: "rescue", act: rescue },
  unrescue: { noted: "unrescue", act: switchState("unrescue") },
  lock: { noted: "lock", act: (_call, server) => setLock(server, true) },
  unlock: { noted: "unlock", act: (_call, server) => setLock(server, false) },
  resize: { noted: "resize", act: resize },
  confirmResize: { noted: "confirmResize", act: confirm },
  revertResize: { noted: "revertResize", act: revert },
  rebuild: { noted: "rebuild", act: rebuild },
  "os-resetState": { act: reset },
};

/** `POST /servers/<id>/action` */
export function act(call: ComputeCall, server: Server): ServiceReply {
  const { request, view } = call;
  const [name = ""] = isObject(request.body) ? Object.keys(request.body) : [];
  const action = ACTIONS[name];
  if (action === undefined) throw badRequest(`There is no such action: ${name}`);
  const reply = action.act(call, server);
  if (action.noted !== undefined) view.world.compute.actions.note(server.id, action.noted, request, view.world.clock.now());
  return reply ?? empty(202);
}

function setLock(server: Server, isLocked: boolean): undefined {
  server.isLocked = isLocked;
}

/**
 * Ends in VERIFY_RESIZE with the new flavor, or in ERROR if a fault requests this. Only the host detects a smaller disk: the server then
 * stays unchanged, and its action is marked as failed.
 */
function resize({ request, view, failsWith }: ComputeCall, server: Server): undefined {
  const { compute, images } = view.world;
  const { requester, body } = request;
  const given = isObject(body) && isObject(body.resize) ? body.resize.flavorRef : undefined;
  if (given === undefined) throw badRequest("Invalid input for field/attribute resize. 'flavorRef' is a required property");
  refuseUnfit(server, requester, "resize", ["active", "stopped"]);
  const flavor = compute.flavors.get(String(given).split("/").at(-1) ?? "");
  if (flavor === undefined) throw badRequest(`Flavor ${String(given)} could not be found.`);
  const image = server.imageId === undefined ? undefined : images.get(server.imageId, requester.projectId, true);
  if (flavor.disk === 0 && server.flavor.disk !== 0 && image !== undefined)
    throw badRequest("Server disk was unable to be resized because: Resize to zero disk flavor is not allowed.");
  if (flavor.id === server.flavor.id) throw badRequest("When resizing, instances must change flavor!");
  compute.refuseUpsize(server.projectId, server.flavor, flavor);
  refuseSmall(flavor, image);
  const before = { flavor: server.flavor, vmState: server.vmState === "stopped" ? "stopped" : "active" } as const;
  compute.begin(server, "resize_prep", compute.resizeDuration, (at) => {
    if (failsWith !== undefined) fail(server, failsWith, at);
    else if (flavor.disk < before.flavor.disk) compute.actions.fail(server.id, "Resize error: Unable to resize disk down.");
    else {
      server.before = before;
      server.vmState = "resized";
      compute.reflavor(server, flavor);
    }
  });
}

/**
 * The server gets the new image immediately. At the end it returns to its previous state, or to ERROR if a fault requests this or the host
 * cannot run the image.
 */
function rebuild({ request, view, failsWith }: ComputeCall, server: Server): ServiceReply {
  const { compute, images } = view.world;
  const { requester, body } = request;
  const given = isObject(body) && isObject(body.rebuild) ? body.rebuild.imageRef : undefined;
  if (given === undefined) throw badRequest("Invalid input for field/attribute rebuild. Value: {}. 'imageRef' is a required property");
  refuseUnfit(server, requester, "rebuild", ["active", "stopped", "error"]);
  const image = images.get(String(given), requester.projectId, isAdmin(requester));
  if (image === undefined) throw badRequest("Cannot find image for rebuild");
  refuseSmall(server.flavor, image);
  if (server.imageId === undefined)
    throw badRequest(`Image ${image.id} is unacceptable: Unable to rebuild with a different image for a volume-backed server.`);
  const refused = failsWith ?? (isFit(image) ? undefined : "No valid host was found. There are not enough hosts available.");
  server.imageId = image.id;
  const vmState = server.vmState === "stopped" ? "stopped" : "active";
  compute.begin(server, "rebuilding", compute.actionDuration, (at) => {
    if (refused === undefined) Object.assign(server, { vmState, fault: undefined });
    else {
      fail(server, refused, at);
      compute.actions.fail(server.id, refused);
    }
  });
  return json(202, { server: { ...detailedServer(view, server), adminPass: view.world.identifiers.text(12) } });
}

/** The hosts run images of this architecture and images without an architecture. */
function isFit({ hw_architecture: architecture = "x86_64" }: Image): boolean {
  return architecture === "x86_64";
}

/** An administrator sets the state of a server. This ends any task. */
function reset({ request, view }: ComputeCall, server: Server): undefined {
  if (!isAdmin(request.requester)) throw forbidden("Policy doesn't allow os_compute_api:os-admin-actions:reset_state to be performed.");
  const given = isObject(request.body) && isObject(request.body["os-resetState"]) ? request.body["os-resetState"].state : undefined;
  if (given !== "active" && given !== "error") throw badRequest("Invalid input for field/attribute state.");
  Object.assign(server, { vmState: given, taskState: null, due: undefined, updated: view.world.clock.now() });
}

function refuseSmall({ disk }: Flavor, image: Image | undefined): void {
  if (image === undefined || disk >= image.min_disk) return;
  const words = `Flavor disk is ${disk * GIB} bytes, minimum size is ${image.min_disk * GIB} bytes.`;
  throw badRequest(`Flavor's disk is smaller than the minimum size specified in image metadata. ${words}`);
}

/** Replies before it is done, like the service. In the meantime a second request finds no resize to confirm. */
function confirm({ request, view }: ComputeCall, server: Server): ServiceReply {
  const { compute, clock } = view.world;
  refuseUnfit(server, request.requester, "confirmResize", ["resized"]);
  const { before } = server;
  if (before === undefined) throw badRequest("Instance has not been resized.");
  server.before = undefined;
  compute.later(server, clock.now() + compute.actionDuration, () => {
    server.vmState = before.vmState;
  });
  return empty(204);
}

function revert({ request, view }: ComputeCall, server: Server): undefined {
  const { compute } = view.world;
  refuseUnfit(server, request.requester, "revertResize", ["resized"]);
  const { before } = server;
  if (before === undefined) throw badRequest("Instance has not been resized.");
  server.before = undefined;
  compute.begin(server, "resize_reverting", compute.actionDuration, () => {
    compute.reflavor(server, before.flavor);
    server.vmState = before.vmState;
  });
}
