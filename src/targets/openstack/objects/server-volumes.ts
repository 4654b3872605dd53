import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Inventory } from "../read/inventory.js";
import { leaf, members } from "../read/render.js";
import { statusOf } from "./volume.js";

/** Returns the volumes that a server has or will get, in the service's order. */
export function attachedTo(server: JsonObject): JsonObject[] {
  return [...objectsAt(server, "os-extended-volumes:volumes_attached")];
}

/** Returns the boot volume of a server, if any, and its other volumes. */
export function volumesOf(
  server: JsonObject,
  inventory: Inventory,
): { boot_volume?: TreeNode | undefined; volumes?: TreeNode | undefined } {
  const ids = attachedTo(server).map((each) => textAt(each, "id") ?? "");
  if (ids.length === 0) return {};
  const boot = objectAt(server, "image") === undefined ? bootOf(server, ids, inventory) : undefined;
  const keyOf = (id: string) => inventory.keyOf("volumes", id);
  const isShelved = (textAt(server, "status") ?? "").startsWith("SHELVED");
  const isThere = (id: string) => isShelved || !NOT_YET.has(statusOf(inventory.object("volumes", id) ?? {}));
  return {
    boot_volume: leaf("boot_volume", boot === undefined ? undefined : keyOf(boot)),
    volumes: members("volumes", ids.filter((id) => id !== boot && isThere(id)).map(keyOf)),
  };
}

/** Statuses of volumes that the compute service lists for a server that does not have them (yet). */
const NOT_YET: ReadonlySet<string> = new Set(["reserved", "attaching", "available", "detaching"]);

/** Returns the boot volume. The compute service shows it only to administrators, so the device names in the volumes decide. */
function bootOf(server: JsonObject, ids: readonly string[], inventory: Inventory): string | undefined {
  const id = textAt(server, "id");
  const deviceOf = (volume: string): string => {
    const attachments = objectsAt(inventory.object("volumes", volume) ?? {}, "attachments");
    return textAt(attachments.find((each) => each.server_id === id) ?? {}, "device") ?? "";
  };
  const known = ids.filter((each) => deviceOf(each) !== "");
  if (known.length === ids.length) return known.reduce((first, each) => (isBefore(deviceOf(each), deviceOf(first)) ? each : first));
  return ids.find((each) => inventory.object("volumes", each)?.bootable === "true") ?? ids[0];
}

/** Compares device names: `/dev/vdz` is before `/dev/vdaa`. */
function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}
