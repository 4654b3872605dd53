import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { MADE_AS } from "../image-form.js";
import { metadataMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import { leaf } from "../read/render.js";
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

/** Status of a volume whose creation failed. Administrators can set it too. Later failures have their own statuses. */
export const FAILED = "error";

/** Statuses that end without an action, or that an administrator must resolve. Until then the volume differs from the document. */
const UNREADY: ReadonlySet<string> = new Set([
  ...["creating", "downloading", "extending", "retyping", "deleting", "restoring-backup", "attaching", "detaching"],
  ...["error_extending", "error_deleting", "error_restoring"],
]);

export function statusOf(volume: JsonObject): string {
  return textAt(volume, "status") ?? "";
}

/** Returns the image of a volume, also if it was created from a snapshot or another volume. */
function imageOf(volume: JsonObject): string | undefined {
  return textAt(objectAt(volume, "volume_image_metadata") ?? {}, "image_id");
}

/** Returns the snapshot or image of a volume, if known. A copy of a volume does not show its source. */
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

/** The service returns microseconds without a time zone, in UTC. */
function timeAt(volume: JsonObject, member: string): string | undefined {
  const text = textAt(volume, member);
  return text === undefined ? undefined : `${text.slice(0, 19)}Z`;
}
