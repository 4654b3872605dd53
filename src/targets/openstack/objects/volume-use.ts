import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { WriteContext } from "../write/context.js";
import { FAILED, statusOf } from "./volume.js";
import { isChanging, LONGEST_CHANGE, LONGEST_MAKING, notReady, shownVolume, untilNextLook, volumeDeleted } from "./volume-ready.js";

/**
 * Waits until no server has the volume and the service is not working on it. `what`: `available` or `deleted`. Servers that this run
 * deleted or detached release the volume a moment later.
 * @throws PlumblineError `cloud-in-use` with the name of a server that has it, `volume-not-ready`, `cloud-not-found`
 */
export async function untilFree(id: string, path: Path, what: string, context: WriteContext): Promise<JsonObject> {
  const { clock } = context.dependencies;
  const since = clock.now();
  for (;;) {
    const volume = await shownVolume(id, context);
    if (volume === undefined) throw volumeDeleted(path, context);
    const status = statusOf(volume);
    if (status === "in-use" && isKept(volume, context)) throw inUse(volume, path, context);
    if (status !== "in-use" && !isChanging(volume)) {
      if (what === "available" && status.startsWith(FAILED)) throw await notReady(volume, what, path, context);
      return volume;
    }
    const waited = clock.now() - since;
    if (waited >= (status === "detaching" ? LONGEST_CHANGE : LONGEST_MAKING)) throw await notReady(volume, what, path, context);
    await clock.sleep(untilNextLook(waited));
  }
}

/** Whether a server that this run has not deleted has the volume. */
function isKept(volume: JsonObject, { inventory }: WriteContext): boolean {
  const servers = objectsAt(volume, "attachments").map((each) => textAt(each, "server_id") ?? "");
  return !inventory.has("servers") || servers.some((id) => inventory.object("servers", id) !== undefined);
}

function inUse(volume: JsonObject, path: Path, { client, inventory }: WriteContext): PlumblineError {
  const servers = objectsAt(volume, "attachments").map((each) => {
    const id = textAt(each, "server_id") ?? "";
    const name = inventory.has("servers") ? textAt(inventory.object("servers", id) ?? {}, "name") : undefined;
    const device = textAt(each, "device");
    return `server ${name === undefined ? id : `"${name}" (${id})`}${device === undefined ? "" : ` as ${device}`}`;
  });
  return new PlumblineError("cloud-in-use", `volume "${path.name}" is attached to ${servers.join(", ") || "a server"}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Have it detached there (openstack server remove volume), or declare it at its place. Then run again.",
  });
}
