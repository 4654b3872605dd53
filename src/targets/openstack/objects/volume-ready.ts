import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import { isNotFound } from "../../openstack-client/client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { FAILED, statusOf } from "./volume.js";

/**
 * Intervals between polls, in milliseconds. The first polls are more frequent. After a minute they become rarer, because such a change
 * usually takes much longer.
 */
const SOONEST = 250;
const POLL_INTERVAL = 2000;
const LONG_POLL_INTERVAL = 10_000;
const LATER = 60_000;

/** Maximum time for a change and for the creation of a volume, in milliseconds. */
export const LONGEST_CHANGE = 5 * 60_000;
export const LONGEST_MAKING = 30 * 60_000;

/** From this microversion, the service returns messages of a single volume. */
const WITH_MESSAGES = "3.5";

/** Statuses that end without an action. */
const UNDER_WAY: ReadonlySet<string> = new Set([
  ...["creating", "downloading", "extending", "retyping", "deleting", "restoring-backup"],
  ...["attaching", "detaching", "reserved"],
]);

/** Whether the service is still working on the volume. */
export function isChanging(volume: JsonObject): boolean {
  return UNDER_WAY.has(statusOf(volume));
}

export interface Waiting {
  /** The expected result: `made`, `extended to 20`. */
  readonly what: string;
  /** In milliseconds. */
  readonly longest: number;
  readonly progress?: Progress;
}

const WITHOUT_PROGRESS: Progress = () => undefined;

/**
 * Waits until the service is no longer working on the volume, and returns it.
 * @throws PlumblineError `volume-not-ready` if it failed, or after the maximum time; `cloud-not-found` if another user deleted it
 */
export async function untilReady(
  id: string,
  path: Path,
  { what, longest, progress = WITHOUT_PROGRESS }: Waiting,
  context: WriteContext,
): Promise<JsonObject> {
  const { clock } = context.dependencies;
  const until = clock.now() + longest;
  for (;;) {
    const volume = await shownVolume(id, context);
    if (volume === undefined) throw volumeDeleted(path, context);
    const status = statusOf(volume);
    if (status.startsWith(FAILED)) throw await notReady(volume, what, path, context);
    if (!isChanging(volume)) return volume;
    progress({ job: path.name ?? id, percent: undefined, status });
    if (clock.now() >= until) throw await notReady(volume, what, path, context);
    await clock.sleep(untilNextLook(clock.now() - until + longest));
  }
}

/** `waited`: time since the start, in milliseconds. */
export function untilNextLook(waited: number): number {
  return waited < LATER ? Math.min(Math.max(waited, SOONEST), POLL_INTERVAL) : LONG_POLL_INTERVAL;
}

/** Waits until the volume is deleted. Throws if the deletion fails. */
export async function untilDeleted(id: string, path: Path, context: WriteContext): Promise<void> {
  const { clock } = context.dependencies;
  const until = clock.now() + LONGEST_CHANGE;
  for (;;) {
    const volume = await shownVolume(id, context);
    if (volume === undefined) return;
    if (statusOf(volume) !== "deleting" || clock.now() >= until) throw await notReady(volume, "deleted", path, context);
    await clock.sleep(untilNextLook(clock.now() - until + LONGEST_CHANGE));
  }
}

/** Reads the volume. Undefined if it does not exist. */
export async function shownVolume(id: string, { client, inventory }: WriteContext): Promise<JsonObject | undefined> {
  try {
    const { body } = await client.request({ service: "volume", method: "GET", path: ["volumes", id] });
    const volume = objectAt(body, "volume");
    if (volume !== undefined) inventory.put("volumes", volume);
    return volume;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    inventory.remove("volumes", id);
    return undefined;
  }
}

/** Builds the error for a missing result (`what`), with the service's reason if it reports one. */
export async function notReady(
  volume: JsonObject,
  what: string,
  path: Path,
  { client }: WriteContext,
  next?: string,
): Promise<PlumblineError> {
  const status = statusOf(volume);
  const why = status.startsWith(FAILED) ? await reasonOf(textAt(volume, "id") ?? "", client) : undefined;
  const reason = why === undefined ? "" : `; the service reports: ${why}`;
  return new PlumblineError("volume-not-ready", `volume "${path.name}" is not ${what}: its status is ${status}${reason}`, {
    where: { target: client.target, xpath: path.toString() },
    next: next ?? adviceOn(status),
    severity: "partial",
  });
}

function adviceOn(status: string): string {
  if (status === FAILED)
    return "Fix the cause (type, availability zone, space of the backend). A volume that was never ready contains no data: $replace: true on the entry recreates it.";
  if (status.startsWith(FAILED))
    return "Its data may be intact: have an administrator check it and set its state (openstack volume set --state), then run again. Do not replace it.";
  return "Check the volume and its server (openstack volume show). If the state persists, ask an administrator. Then run again.";
}

/** Returns the last message about a volume. Undefined if there is none, or if the account may not read it. */
async function reasonOf(id: string, client: OpenstackClient): Promise<string | undefined> {
  try {
    const query = [["resource_uuid", id]] as const;
    const { body } = await client.request({ service: "volume", method: "GET", path: ["messages"], query, preferred: WITH_MESSAGES });
    const messages = objectsAt(body, "messages").filter((message) => textAt(message, "resource_uuid") === id);
    const [last] = messages.toSorted((a, b) => (textAt(b, "created_at") ?? "").localeCompare(textAt(a, "created_at") ?? ""));
    return last === undefined ? undefined : textAt(last, "user_message");
  } catch (error) {
    // A missing reason must not hide the failure itself.
    if (!(error instanceof PlumblineError)) throw error;
    return undefined;
  }
}

export function volumeDeleted(path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("cloud-not-found", `"${path.name}" was deleted in the meantime`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Run again: it is created again if it is still declared, without its data.",
  });
}
