import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { isNotFound, isOutcomeUnknown } from "../../openstack-client/client/openstack-error.js";
import type { Body } from "../../openstack-client/client/request.js";
import { metadataMark } from "../owner-marks.js";
import type { WriteContext } from "../write/context.js";
import { textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import type { Rest } from "./server-power.js";
import { attachedTo } from "./server-volumes.js";
import { statusOf } from "./volume.js";
import { isChanging, LONGEST_CHANGE, notReady, shownVolume, untilReady } from "./volume-ready.js";
import { untilFree } from "./volume-use.js";
import type { Change } from "./writers.js";

/** From this microversion, `delete_on_termination` of an attached volume can be changed. */
const CHANGES_END = "2.85";

/**
 * Returns the disks of a create. Undefined if there is only an image. It waits for volumes, which are kept when the server is deleted.
 * `image` is the id.
 */
export async function blockDevices(
  entry: TreeNode,
  image: string | undefined,
  path: Path,
  context: WriteContext,
): Promise<readonly Body[] | undefined> {
  const boot = textOf(entry, "boot_volume");
  const others = textsOf(entry, "volumes");
  if (boot === undefined && others.length === 0) return undefined;
  const kept = { source_type: "volume", destination_type: "volume", delete_on_termination: false };
  const devices: Body[] = [];
  if (boot !== undefined) devices.push({ ...kept, boot_index: 0, uuid: await freeVolume(boot, path.child("boot_volume"), context) });
  else if (image !== undefined)
    devices.push({ boot_index: 0, uuid: image, source_type: "image", destination_type: "local", delete_on_termination: true });
  for (const key of others)
    devices.push({ ...kept, boot_index: -1, uuid: await freeVolume(key, path.child("volumes").member(key), context) });
  return devices;
}

async function freeVolume(key: string, at: Path, context: WriteContext): Promise<string> {
  const id = await idOf(context, "volumes", key, at);
  await untilFree(id, pathOfVolume(key, at), "available", context);
  return id;
}

/** Detaches and attaches volumes in the declared order. Returns the rest of the work: checking the result. */
export async function changeVolumes({ path, id, object, before, after }: Change, context: WriteContext): Promise<Rest> {
  const [had, wanted] = [textsOf(before, "volumes"), textsOf(after, "volumes")];
  const at = path.child("volumes");
  const idsOf = async (keys: readonly string[]) =>
    await Promise.all(keys.map(async (key) => ({ key, volume: await idOf(context, "volumes", key, at.member(key)) })));
  const detached = await idsOf(had.filter((key) => !wanted.includes(key)));
  const attached = await idsOf(wanted.filter((key) => !had.includes(key)));
  for (const { key, volume } of detached) await detach(id, volume, pathOfVolume(key, at), context);
  for (const { key, volume } of attached) {
    if (await isOnItsWay(volume, object, context)) continue;
    await untilFree(volume, pathOfVolume(key, at), "available", context);
    await attach(id, volume, context);
  }
  return async (progress) => {
    for (const { key, volume } of [...detached, ...attached]) {
      const isAttached = attached.some((each) => each.volume === volume);
      // A volume that this run detached and then deleted is detached.
      if (!isAttached && (await shownVolume(volume, context)) === undefined) continue;
      const what = `${isAttached ? "attached to" : "detached from"} "${path.name}"`;
      const volumePath = pathOfVolume(key, at);
      const now = await untilReady(volume, volumePath, { what, longest: LONGEST_CHANGE, progress }, context);
      if (isHeldBy(now, id) !== isAttached) throw await notReady(now, what, volumePath, context);
    }
  };
}

/** Whether the volume is already attached, or being attached, to this server by another user or an interrupted run. */
async function isOnItsWay(volume: string, server: JsonObject, context: WriteContext): Promise<boolean> {
  if (!attachedTo(server).some((each) => each.id === volume)) return false;
  return ["reserved", "attaching", "in-use"].includes(statusOf((await shownVolume(volume, context)) ?? {}));
}

function pathOfVolume(key: string, at: Path): Path {
  const [root] = at.steps();
  return (root ?? at).child("volumes").entry(key);
}

function isHeldBy(volume: JsonObject, server: string): boolean {
  return statusOf(volume) === "in-use" && objectsAt(volume, "attachments").some((each) => each.server_id === server);
}

async function attach(server: string, volumeId: string, { client }: WriteContext): Promise<void> {
  const path = ["servers", server, "os-volume_attachments"];
  try {
    await client.request({ service: "compute", method: "POST", path, body: { volumeAttachment: { volumeId } } });
  } catch (error) {
    // The result is checked after all writes.
    if (!isOutcomeUnknown(error)) throw error;
  }
}

/** If this run extends the volume, it waits for that before the detach. */
async function detach(server: string, volume: string, at: Path, context: WriteContext): Promise<void> {
  const shown = (await shownVolume(volume, context)) ?? {};
  if (statusOf(shown) === "detaching") return;
  if (isChanging(shown)) await untilReady(volume, at, { what: "ready to be detached", longest: LONGEST_CHANGE }, context);
  try {
    await context.client.request({ service: "compute", method: "DELETE", path: ["servers", server, "os-volume_attachments", volume] });
  } catch (error) {
    if (!isNotFound(error) && !isOutcomeUnknown(error)) throw error;
  }
}

/** Volumes with an owner's mark are kept when the server is deleted, even if another user attached them otherwise. */
export async function keepVolumes(server: JsonObject, context: WriteContext): Promise<void> {
  const going = attachedTo(server).filter(({ delete_on_termination }) => delete_on_termination === true);
  if (going.length === 0) return;
  await context.inventory.load(["volumes"]);
  for (const each of going) {
    const volumeId = textAt(each, "id") ?? "";
    if (metadataMark(context.inventory.object("volumes", volumeId) ?? {}) === undefined) continue;
    const path = ["servers", textAt(server, "id") ?? "", "os-volume_attachments", volumeId];
    const body = { volumeAttachment: { volumeId, delete_on_termination: false } };
    await context.client.request({ service: "compute", method: "PUT", path, body, microversion: CHANGES_END });
  }
}
