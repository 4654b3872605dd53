import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import { imageMark } from "../owner-marks.js";
import { failureOf, isUnrebuilt, lastAction } from "../read/instance-actions.js";
import type { WriteContext } from "../write/context.js";
import { idOf } from "../write/names.js";
import { act, isActionAccepted, isIdle, type Rest, stateOf, untilIdle } from "./server-power.js";

/** Maximum time for a rebuild, in milliseconds. The host may have to download a large image. */
const LONGEST_REBUILD = 30 * 60_000;

interface Rebuild {
  readonly id: string;
  /** Name of the image in the document, and its id. Undefined if the run only waits for another user's rebuild. */
  readonly image: string | undefined;
  readonly imageRef: string | undefined;
  readonly path: Path;
  readonly context: WriteContext;
}

/**
 * Starts a rebuild with another image, or waits for a running one. Returns the rest of the work: waiting for many servers in parallel after
 * all writes. ID, ports and volumes are kept. The administrator's password changes and is not saved.
 * @throws PlumblineError `server-not-changed`, and refusals of the service
 */
export async function rebuild(server: JsonObject, image: string | undefined, path: Path, context: WriteContext): Promise<Rest> {
  const id = textAt(server, "id") ?? "";
  const imageRef = image === undefined ? undefined : await idOf(context, "images", image, path.child("image"));
  const asked: Rebuild = { id, image, imageRef, path, context };
  const isDue = imageRef !== undefined && isIdle(server) && (!isMadeFrom(imageRef, server) || isUnrebuilt(server));
  const isAccepted = isDue && (await isActionAccepted(id, { rebuild: { imageRef } }, context));
  return (progress) => untilRebuilt(asked, isAccepted, progress);
}

/**
 * `isAccepted`: whether the service accepted the request. An accepted request is not repeated, because another user may have changed the server
 * since.
 */
async function untilRebuilt(rebuild: Rebuild, isAccepted: boolean, progress: Progress): Promise<void> {
  const { id, image, imageRef, path, context } = rebuild;
  const what = `rebuilt${image === undefined ? "" : ` on ${image}`}`;
  const server = await untilIdle(id, path, { what, longest: LONGEST_REBUILD, progress }, context);
  const isDone = imageRef === undefined || isMadeFrom(imageRef, server);
  if (isDone && server.status !== "ERROR") {
    const metadata = imageMark(imageRef, image);
    if (Object.keys(metadata).length > 0)
      await context.client.request({ service: "compute", method: "POST", path: ["servers", id, "metadata"], body: { metadata } });
    return;
  }
  if (isAccepted || isDone || server.status === "ERROR") throw await notRebuilt(server, what, rebuild);
  await act(id, { rebuild: { imageRef } }, context);
  await untilRebuilt(rebuild, true, progress);
}

async function notRebuilt(server: JsonObject, what: string, { id, path, context: { client } }: Rebuild): Promise<PlumblineError> {
  const last = await lastAction(id, ["rebuild"], client);
  const why = last === undefined ? undefined : await failureOf(id, last, client);
  const reason = why === undefined ? "" : `; the service reports for its rebuild: ${why}`;
  return new PlumblineError("server-not-changed", `server "${path.name}" is not ${what}: ${stateOf(server)}${reason}`, {
    where: { target: client.target, xpath: path.child("image").toString() },
    next: "Fix the cause, then run again: $rebuild: true on the entry rebuilds it again, and $replace: true recreates it.",
    severity: "partial",
  });
}

function isMadeFrom(imageRef: string, server: JsonObject): boolean {
  return textAt(objectAt(server, "image") ?? {}, "id") === imageRef;
}
