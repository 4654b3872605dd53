import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { metadataMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import { leaf } from "../read/render.js";
import { MADE_AS } from "../volume-words.js";
import type { ObjectKind } from "./kinds.js";
import { metadataOf } from "./metadata.js";
import { entryShape } from "./network-service.js";

export const volumes: ObjectKind = {
  list: "volumes",
  entry: entryShape("volumes"),
  request: { service: "volume", path: ["volumes", "detail"], collection: "volumes" },
  needs: [],
  alsoNeeds: (volume) => [
    ...(imageOf(volume) === undefined ? [] : (["images"] as const)),
    ...(textAt(volume, "snapshot_id") === undefined ? [] : (["snapshots"] as const)),
  ],
  idOf: (volume) => textAt(volume, "id") ?? "",
  nameOf: (volume) => textAt(volume, "name") ?? "",
  markOf: metadataMark,
  special: (volume, inventory) => ({
    ...sourceOf(volume, inventory),
    metadata: metadataOf(volume),
    unready: leaf("unready", UNREADY.has(statusOf(volume)) ? statusOf(volume) : undefined),
    fault: leaf("fault", statusOf(volume) === FAILED ? FAILED : undefined),
    created_at: leaf("created_at", timeAt(volume, "created_at")),
    updated_at: leaf("updated_at", timeAt(volume, "updated_at")),
  }),
};

/** What a volume is that could not be made; rarely, one that an administrator has set so. One that failed at anything later says at what. */
export const FAILED = "error";

/** What ends by itself, or is an administrator's to end: until then it is not what a document says. */
const UNREADY: ReadonlySet<string> = new Set([
  ...["creating", "downloading", "extending", "retyping", "deleting", "restoring-backup", "attaching", "detaching"],
  ...["error_extending", "error_deleting", "error_restoring"],
]);

export function statusOf(volume: JsonObject): string {
  return textAt(volume, "status") ?? "";
}

/** The image that it was made from, also of a snapshot or another volume. */
function imageOf(volume: JsonObject): string | undefined {
  return textAt(objectAt(volume, "volume_image_metadata") ?? {}, "image_id");
}

/** A snapshot or an image, as far as it is there still. What another volume was copied to keeps nothing of that one. */
function sourceOf(volume: JsonObject, inventory: Inventory): { snapshot?: TreeNode | undefined; image?: TreeNode | undefined } {
  const snapshot = textAt(volume, "snapshot_id");
  if (snapshot !== undefined)
    return {
      snapshot:
        inventory.object("snapshots", snapshot) === undefined ? undefined : leaf("snapshot", inventory.keyOf("snapshots", snapshot)),
    };
  const image = imageOf(volume);
  if (image === undefined || textAt(volume, "source_volid") !== undefined) return {};
  const madeAs = textAt(objectAt(volume, "volume_image_metadata") ?? {}, "image_name");
  const text = inventory.object("images", image) === undefined ? (madeAs ?? image) : inventory.keyOf("images", image);
  return { image: new TreeNode("image", undefined, text, [], madeAs === undefined ? undefined : new Map([[MADE_AS, madeAs]])) };
}

/** The service tells microseconds and no zone: UTC. */
function timeAt(volume: JsonObject, member: string): string | undefined {
  const text = textAt(volume, member);
  return text === undefined ? undefined : `${text.slice(0, 19)}Z`;
}
