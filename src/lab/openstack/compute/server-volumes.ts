import { json, type ServiceReply } from "../http/reply.js";
import type { Volume } from "../volume/volume.js";
import { isObject, type Json, type JsonObject } from "../world/json.js";
import { owns, type Requester } from "../world/requester.js";
import type { OpenstackWorld } from "../world/world.js";
import { badRequest, itemNotFound } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { refuseUnfit, type Server } from "./server.js";

/** A volume of a server, attached or being attached. */
export interface ServerVolume {
  readonly volumeId: string;
  /** `/dev/vda` is the boot device. */
  readonly device: string;
  deleteOnTermination: boolean;
}

/** First minor versions in which replies contain `delete_on_termination`, and in which a PUT changes it. */
const DELETE_ON_TERMINATION_SINCE = 79;
const CHANGES_END = 85;
const ROOT = "/dev/vda";

/** Validates `block_device_mapping_v2` of a create, like the service when it accepts the request. */
export function readServerVolumes(world: OpenstackWorld, requester: Requester, given: Json | undefined): ServerVolume[] {
  if (!Array.isArray(given)) return [];
  const mappings = given.filter(isObject);
  if (mappings.filter(({ boot_index }) => boot_index === 0).length !== 1)
    throw badRequest(
      "Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.",
    );
  const volumes: ServerVolume[] = [];
  for (const { uuid, boot_index, source_type, delete_on_termination } of mappings) {
    if (source_type !== "volume") continue;
    const volume = world.volumes.find(String(uuid));
    if (volume === undefined || !owns(requester, volume.projectId))
      throw badRequest(`Block Device Mapping is Invalid: failed to get volume ${String(uuid)}.`);
    refuseTaken(volume);
    if (boot_index === 0 && !volume.bootable) throw badRequest(`Block Device ${volume.id} is not bootable.`);
    const device = boot_index === 0 ? ROOT : nextDevice(volumes);
    volumes.push({ volumeId: volume.id, device, deleteOnTermination: delete_on_termination === true });
  }
  return volumes;
}

function refuseTaken({ id, status }: Volume): void {
  if (status !== "available")
    throw badRequest(
      `Invalid input received: Invalid volume: Volume ${id} status must be available or downloading to reserve, but the current status is ${status}. (HTTP 400)`,
    );
}

/** Returns the first free device. `/dev/vda` is reserved for the boot disk. */
function nextDevice(volumes: readonly ServerVolume[]): string {
  for (let letter = "b".charCodeAt(0); ; letter++) {
    const device = `/dev/vd${String.fromCharCode(letter)}`;
    if (volumes.every((each) => each.device !== device)) return device;
  }
}

/** States in which volumes can be attached and detached. */
const FIT: readonly Server["vmState"][] = ["active", "paused", "stopped", "resized", "shelved", "shelved_offloaded"];

/** Reserves volumes for a server before its build. */
export function reserveVolumes({ volumes }: OpenstackWorld, wanted: readonly ServerVolume[]): void {
  for (const volume of wanted.flatMap(({ volumeId }) => volumes.find(volumeId) ?? [])) volumes.reserve(volume);
}

/** Attaches the volumes when the server is built. */
export function joinVolumes({ volumes }: OpenstackWorld, server: Server): void {
  for (const { volumeId, device } of server.volumes) {
    const volume = volumes.find(volumeId);
    if (volume !== undefined) volumes.join(volume, server.id, device);
  }
}

/** Detaches the volumes of a deleted or failed server. A deleted server also deletes volumes with `deleteOnTermination`. */
export function leaveVolumes({ volumes }: OpenstackWorld, server: Server): void {
  for (const each of server.volumes.splice(0)) {
    const volume = volumes.find(each.volumeId);
    if (volume !== undefined && each.deleteOnTermination && server.vmState === "deleted") volumes.discard(volume);
    else if (volume !== undefined) volumes.free(volume);
  }
}

/** `/servers/<id>/os-volume_attachments` and `…/<volume>` */
export function handleVolumeAttachments(call: ComputeCall, server: Server): ServiceReply | undefined {
  const { request, path, view } = call;
  const { method } = request;
  const volumeId = path[3];
  if (volumeId === undefined) {
    if (method === "GET") return json(200, { volumeAttachments: server.volumes.map((each) => shown(server, each, view.version)) });
    return method === "POST" ? attach(call, server) : undefined;
  }
  const held = server.volumes.find((each) => each.volumeId === volumeId);
  if (held === undefined) throw itemNotFound(`Instance ${server.id} is not attached to volume ${volumeId}`);
  if (method === "GET") return json(200, { volumeAttachment: shown(server, held, view.version) });
  if (method === "PUT" && view.version >= CHANGES_END) {
    const { delete_on_termination } = attachmentOf(request.body);
    if (typeof delete_on_termination === "boolean") held.deleteOnTermination = delete_on_termination;
    return json(202, {});
  }
  return method === "DELETE" ? detach(call, server, held) : undefined;
}

function attach(call: ComputeCall, server: Server): ServiceReply {
  const { request, view, endsIn } = call;
  const { volumes, compute, clock } = view.world;
  const { volumeId, delete_on_termination } = attachmentOf(request.body);
  refuseUnfit(server, request.requester, "attach_volume", FIT);
  const volume = volumes.get(String(volumeId), request.requester);
  refuseTaken(volume);
  const held = { volumeId: volume.id, device: nextDevice(server.volumes), deleteOnTermination: delete_on_termination === true };
  server.volumes.push(held);
  volumes.attach(volume, server.id, held.device, endsIn, () => server.volumes.splice(server.volumes.indexOf(held), 1));
  compute.actions.note(server.id, "attach_volume", request, clock.now());
  return json(200, { volumeAttachment: shown(server, held, view.version) });
}

function detach({ request, view, endsIn }: ComputeCall, server: Server, held: ServerVolume): ServiceReply {
  const { volumes, compute, clock } = view.world;
  if (held.device === ROOT) throw badRequest("Cannot detach a root device volume");
  refuseUnfit(server, request.requester, "detach_volume", FIT);
  const volume = volumes.get(held.volumeId, request.requester);
  if (volume.status !== "in-use")
    throw badRequest(`Invalid volume: Invalid input received: Invalid volume: Volume ${volume.id} status must be in-use. (HTTP 400)`);
  volumes.detach(volume, endsIn, () => server.volumes.splice(server.volumes.indexOf(held), 1));
  compute.actions.note(server.id, "detach_volume", request, clock.now());
  return json(202, {});
}

function shown(server: Server, { volumeId, device, deleteOnTermination }: ServerVolume, version: number): JsonObject {
  const end = version >= DELETE_ON_TERMINATION_SINCE ? { delete_on_termination: deleteOnTermination } : {};
  return { id: volumeId, serverId: server.id, volumeId, device, ...end };
}

function attachmentOf(body: Json | undefined): JsonObject {
  const given = isObject(body) ? body.volumeAttachment : undefined;
  if (!isObject(given)) throw badRequest("'volumeAttachment' is a required property");
  return given;
}
