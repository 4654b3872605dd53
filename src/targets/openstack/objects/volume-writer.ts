import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import { isOutcomeUnknown } from "../../openstack-client/client/openstack-error.js";
import type { Body } from "../../openstack-client/client/request.js";
import { metadataMark, type OwnerMark } from "../owner-marks.js";
import type { WriteContext } from "../write/context.js";
import { createOnce } from "../write/create.js";
import { type Members, textOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { declaredMetadata, marksOf, newMarks, putMetadata } from "./metadata.js";
import { incomplete } from "./network-members.js";
import { markFor, missingInReply, sameMark } from "./network-writer.js";
import { statusOf } from "./volume.js";
import { LONGEST_CHANGE, LONGEST_MAKING, notReady, shownVolume, untilDeleted, untilReady } from "./volume-ready.js";
import { untilFree } from "./volume-use.js";
import type { Change, ObjectWriter } from "./writers.js";

/** From this microversion, an attached volume can be extended. */
const GROWS_IN_USE = "3.42";

/** Writes volumes. One request creates a volume with its mark. The run waits for new volumes after all writes. */
export const volumeObjects: ObjectWriter = {
  async create(entry, path, context) {
    const mark = markFor(entry, path, context);
    const volume = await createBody(entry, mark, path, context);
    const create = async () => {
      const reply = await context.client.request({ service: "volume", method: "POST", path: ["volumes"], body: { volume } });
      const object = objectAt(reply.body, "volume");
      if (object === undefined) throw missingInReply(context, "POST volumes");
      return { object, reply };
    };
    const { object } = await createOnce(context, path, create, () => findMarked(mark, context));
    context.inventory.put("volumes", object);
    const id = textAt(object, "id") ?? "";
    const bootable = textOf(entry, "bootable");
    context.postponed.set(path, async (progress) => {
      const made = await untilReady(id, path, { what: "made", longest: LONGEST_MAKING, progress }, context);
      if (bootable !== undefined && made.bootable !== bootable) await setBootable(id, bootable, context);
    });
    if (bootable === "true") await setBootable(id, bootable, context);
  },

  async update(change, context) {
    const { path, id, after, tags } = change;
    await putWords(change, context);
    if (tags.has("metadata") || tags.has("owner"))
      await putMetadata({ service: "volume", path: ["volumes", id] }, change, newMarks(change, context), context);
    const bootable = textOf(after, "bootable");
    if (tags.has("bootable") && bootable !== undefined) await setBootable(id, bootable, context);
    if (!["size", "volume_type", "unready"].some((tag) => tags.has(tag))) return;
    const size = tags.has("size") ? Number(textOf(after, "size")) : undefined;
    const wanted: WantedVolume = { size, type: tags.has("volume_type") ? textOf(after, "volume_type") : undefined };
    const longest = ["creating", "downloading"].includes(statusOf(change.object)) ? LONGEST_MAKING : LONGEST_CHANGE;
    const step = stepTo(wanted, change.object);
    const accepted = step !== undefined && (await isBegun(step, change.object, context)) ? step.what : undefined;
    context.postponed.set(path, (progress) => untilChanged({ id, path, wanted, longest, context }, accepted, progress));
  },

  async remove(volume, path, context) {
    const id = textAt(volume, "id") ?? "";
    try {
      await untilFree(id, path, "deleted", context);
      await context.client.request({ service: "volume", method: "DELETE", path: ["volumes", id] });
    } catch (error) {
      const isDeleted = error instanceof PlumblineError && error.code === "cloud-not-found";
      if (!isDeleted && !isOutcomeUnknown(error)) throw error;
    }
    await untilDeleted(id, path, context);
    context.inventory.remove("volumes", id);
  },

  fresh: (id, context) => shownVolume(id, context),
};

async function createBody(entry: TreeNode, mark: OwnerMark, path: Path, context: WriteContext): Promise<Members> {
  const [size, image, snapshot, source] = ["size", "image", "snapshot", "source_volume"].map((tag) => textOf(entry, tag));
  if (size === undefined && snapshot === undefined && source === undefined) throw incomplete("a volume needs its size", path, context);
  return {
    name: textOf(entry, "name") ?? mark.key,
    description: textOf(entry, "description"),
    size: size === undefined ? undefined : Number(size),
    volume_type: textOf(entry, "volume_type"),
    availability_zone: textOf(entry, "availability_zone"),
    imageRef: image === undefined ? undefined : await idOf(context, "images", image, path.child("image")),
    snapshot_id: snapshot === undefined ? undefined : await idOf(context, "snapshots", snapshot, path.child("snapshot")),
    source_volid: source === undefined ? undefined : await readySource(source, path.child("source_volume"), context),
    metadata: { ...declaredMetadata(entry), ...marksOf(mark, context) },
  };
}

/** Waits for the source volume, because this run may be creating it. */
async function readySource(source: string, at: Path, context: WriteContext): Promise<string> {
  const id = await idOf(context, "volumes", source, at);
  await untilReady(id, at.entry(source), { what: "ready to be copied", longest: LONGEST_MAKING }, context);
  return id;
}

async function findMarked(mark: OwnerMark, { client }: WriteContext): Promise<JsonObject | undefined> {
  const found = await client.list({ service: "volume", path: ["volumes", "detail"], collection: "volumes" });
  return found.find((volume) => sameMark(metadataMark(volume), mark));
}

async function putWords({ path, id, after, tags }: Change, { client }: WriteContext): Promise<void> {
  const volume = {
    name: tags.has("name") ? (textOf(after, "name") ?? path.name ?? "") : undefined,
    description: tags.has("description") ? (textOf(after, "description") ?? "") : undefined,
  };
  if (volume.name === undefined && volume.description === undefined) return;
  await client.request({ service: "volume", method: "PUT", path: ["volumes", id], body: { volume } });
}

async function setBootable(id: string, bootable: string, context: WriteContext): Promise<void> {
  await act(id, { "os-set_bootable": { bootable: bootable === "true" } }, undefined, context);
}

async function act(id: string, body: { readonly [action: string]: Body }, microversion: string | undefined, { client }: WriteContext) {
  await client.request({ service: "volume", method: "POST", path: ["volumes", id, "action"], body, microversion });
}

/** The wanted state of a volume. If both are undefined, the run only waits for the volume. */
interface WantedVolume {
  /** Size in GiB. */
  readonly size: number | undefined;
  readonly type: string | undefined;
}

interface Step {
  /** For example `extended to 20`. */
  readonly what: string;
  readonly body: { readonly [action: string]: Body };
  readonly microversion?: string | undefined;
  /** Advice if the service ends the step without a result. */
  readonly next?: string;
}

/** Returns the next step to the wanted state, if any. The type comes first, because it may limit the size. */
function stepTo({ size, type }: WantedVolume, volume: JsonObject): Step | undefined {
  if (type !== undefined && textAt(volume, "volume_type") !== type) {
    // Administrators must migrate volumes to another backend, because a migration takes hours and causes load.
    const next = `Volumes are not moved to another backend: move it manually (openstack volume set --type ${type} --retype-policy on-demand).`;
    return { what: `of type ${type}`, body: { "os-retype": { new_type: type, migration_policy: "never" } }, next };
  }
  if (size === undefined || Number(volume.size) >= size) return undefined;
  const microversion = statusOf(volume) === "in-use" ? GROWS_IN_USE : undefined;
  return { what: `extended to ${size}`, body: { "os-extend": { new_size: size } }, microversion };
}

/** Starts a step on an idle volume. Returns false if the volume is busy, or if the reply was lost. */
async function isBegun({ body, microversion }: Step, volume: JsonObject, context: WriteContext): Promise<boolean> {
  if (!["available", "in-use"].includes(statusOf(volume))) return false;
  try {
    await act(textAt(volume, "id") ?? "", body, microversion, context);
    return true;
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    return false;
  }
}

interface Changing {
  readonly id: string;
  readonly path: Path;
  readonly wanted: WantedVolume;
  /** In milliseconds. */
  readonly longest: number;
  readonly context: WriteContext;
}

/** `accepted`: the step that the service accepted. An accepted step is not repeated, because another user may have changed the volume since. */
async function untilChanged(changing: Changing, accepted: string | undefined, progress: Progress): Promise<void> {
  const { id, path, wanted, longest, context } = changing;
  const volume = await untilReady(id, path, { what: accepted ?? "ready", longest, progress }, context);
  const step = stepTo(wanted, volume);
  if (step === undefined) return;
  const { what, next } = step;
  if (accepted === what || !(await isBegun(step, volume, context))) throw await notReady(volume, what, path, context, next);
  await untilChanged(changing, what, progress);
}
