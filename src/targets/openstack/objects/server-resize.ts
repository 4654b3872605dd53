import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import { OpenstackError } from "../../openstack-client/client/openstack-error.js";
import { failureOf, lastAction } from "../read/instance-actions.js";
import type { WriteContext } from "../write/context.js";
import { idOf } from "../write/names.js";
import { RESIZING } from "./server.js";
import { act, isActionAccepted, isIdle, type Rest, stateOf, untilIdle } from "./server-power.js";

/** Maximum time for a resize including its confirmation, in milliseconds. */
const LONGEST_RESIZE = 30 * 60_000;

const UNCONFIRMED = "VERIFY_RESIZE";

/** Actions that lead to a resize status. */
const DOINGS = ["resize", "migrate", "revertResize"];

interface Resize {
  readonly id: string;
  /** Name of the flavor in the document, and its id. */
  readonly flavor: string;
  readonly flavorRef: string;
  readonly path: Path;
  readonly context: WriteContext;
}

/**
 * Starts a resize, or continues an unfinished one of an interrupted run of this account. Returns the rest of the work: waiting for many
 * servers in parallel after all writes.
 * @throws PlumblineError `server-not-changed` if another user is resizing it, and refusals of the service
 */
export async function resize(server: JsonObject, flavor: string, path: Path, context: WriteContext): Promise<Rest> {
  const id = textAt(server, "id") ?? "";
  const flavorRef = await idOf(context, "flavors", flavor, path.child("flavor"));
  const asked: Resize = { id, flavor, flavorRef, path, context };
  const isResizing = RESIZING.has(textAt(server, "status") ?? "");
  if (isResizing) await refuseOthers(server, asked);
  const isAccepted =
    !isResizing && isIdle(server) && !isOf(flavorRef, server) && (await isActionAccepted(id, { resize: { flavorRef } }, context));
  return (progress) => untilResized(asked, isAccepted, progress);
}

/**
 * `isAccepted`: whether the service accepted the request. An accepted request is not repeated, because another user may have changed the server
 * since.
 */
async function untilResized(resize: Resize, isAccepted: boolean, progress: Progress): Promise<void> {
  const { id, flavor, flavorRef, path, context } = resize;
  const waiting = { what: `resized to ${flavor}`, longest: LONGEST_RESIZE, progress };
  const server = await untilIdle(id, path, waiting, context);
  if (server.status === UNCONFIRMED) return await confirm(server, resize, isAccepted, progress);
  if (isOf(flavorRef, server) && server.status !== "ERROR") return;
  if (isAccepted || server.status === "ERROR") throw await notResized(server, resize);
  await act(id, { resize: { flavorRef } }, context);
  await untilResized(resize, true, progress);
}

async function confirm(server: JsonObject, resize: Resize, isRequestedHere: boolean, progress: Progress): Promise<void> {
  const { id, flavor, flavorRef, path, context } = resize;
  if (!isRequestedHere) await refuseOthers(server, resize);
  if (!isOf(flavorRef, server)) throw await notResized(server, resize);
  try {
    await act(id, { confirmResize: null }, context);
  } catch (error) {
    // The service or another user was faster. The result is checked below.
    if (!(error instanceof OpenstackError) || (error.refusal !== "conflict" && error.refusal !== "invalid")) throw error;
    if (/is locked/i.test(error.words)) throw error;
  }
  const isDue = ({ status }: JsonObject) => status !== UNCONFIRMED;
  const then = await untilIdle(id, path, { what: `resized to ${flavor}`, longest: LONGEST_RESIZE, progress, isDue }, context);
  if (!isOf(flavorRef, then) || then.status === "ERROR") throw await notResized(then, resize);
}

/** Another user's resize is neither confirmed nor reverted: that user must check the server first. */
async function refuseOthers(server: JsonObject, { id, path, context: { client } }: Resize): Promise<void> {
  const last = await lastAction(id, DOINGS, client);
  const { user } = await client.session();
  const by = last === undefined ? undefined : textAt(last, "user_id");
  if (by !== undefined && by === user?.id && textAt(last ?? {}, "action") !== "migrate") return;
  const who = by === undefined ? "the service does not report who resized it" : `${by} did that (${textAt(last ?? {}, "request_id")})`;
  throw new PlumblineError("server-not-changed", `server "${path.name}" is in the middle of something else: ${stateOf(server)}; ${who}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Ask them to finish it (openstack server resize confirm, or revert), then run again.",
  });
}

async function notResized(server: JsonObject, { id, flavor, path, context: { client } }: Resize): Promise<PlumblineError> {
  const last = await lastAction(id, DOINGS, client);
  const why = last === undefined ? undefined : await failureOf(id, last, client);
  const reason = why === undefined ? "" : `; the service reports for its ${textAt(last ?? {}, "action")}: ${why}`;
  return new PlumblineError("server-not-changed", `server "${path.name}" is not resized to ${flavor}: ${stateOf(server)}${reason}`, {
    where: { target: client.target, xpath: path.child("flavor").toString() },
    next: "Choose a flavor that the service can resize it to, or set $replace: true on the entry to recreate it.",
    severity: "partial",
  });
}

function isOf(flavorRef: string, server: JsonObject): boolean {
  return textAt(objectAt(server, "flavor") ?? {}, "id") === flavorRef;
}
