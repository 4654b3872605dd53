import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import type { OpenstackClient } from "../client/client.js";
import { isNotFound } from "../client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { FAILED, statusOf } from "./volume.js";

/** Between two looks at what changes, the first ones sooner, and later ones after a minute: what takes that long mostly takes much longer. In milliseconds. */
const SOONEST = 250;
const LOOK_AGAIN = 2000;
const LOOK_AGAIN_LATER = 10_000;
const LATER = 60_000;

/** The longest that a change of a volume, or its making, may take, in milliseconds. */
export const LONGEST_CHANGE = 5 * 60_000;
export const LONGEST_MAKING = 30 * 60_000;

/** From here on the service says what befell a single volume. */
const TELLS_WHY = "3.5";

/** What ends by itself. */
const UNDER_WAY: ReadonlySet<string> = new Set([
  ...["creating", "downloading", "extending", "retyping", "deleting", "restoring-backup"],
  ...["attaching", "detaching", "reserved"],
]);

/** The service has something under way on it that ends by itself. */
export function isUnderWay(volume: JsonObject): boolean {
  return UNDER_WAY.has(statusOf(volume));
}

export interface Waiting {
  /** What is waited for: `made`, `extended to 20`. */
  readonly what: string;
  /** In milliseconds. */
  readonly longest: number;
  readonly progress?: Progress;
}

const WITHOUT_PROGRESS: Progress = () => undefined;

/**
 * The volume when the service has nothing under way on it.
 * @throws PlumblineError `volume-not-ready` where it failed, or after the longest wait; `cloud-not-found` where somebody deleted it
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
    if (volume === undefined) throw volumeGone(path, context);
    const status = statusOf(volume);
    if (status.startsWith(FAILED)) throw await notReady(volume, what, path, context);
    if (!isUnderWay(volume)) return volume;
    progress({ job: path.name ?? id, percent: undefined, status });
    if (clock.now() >= until) throw await notReady(volume, what, path, context);
    await clock.sleep(untilNextLook(clock.now() - until + longest));
  }
}

/** `waited`: milliseconds up to now. */
export function untilNextLook(waited: number): number {
  return waited < LATER ? Math.min(Math.max(waited, SOONEST), LOOK_AGAIN) : LOOK_AGAIN_LATER;
}

/** Until it is not there. One that fails to go says so. */
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

/** The volume as it is now; undefined where it is gone. */
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

/** `what` it was to be and is not, with the service's own reason where it gives one. */
export async function notReady(
  volume: JsonObject,
  what: string,
  path: Path,
  { client }: WriteContext,
  next?: string,
): Promise<PlumblineError> {
  const status = statusOf(volume);
  const why = status.startsWith(FAILED) ? await reasonOf(textAt(volume, "id") ?? "", client) : undefined;
  const said = why === undefined ? "" : `; the service says: ${why}`;
  return new PlumblineError("volume-not-ready", `volume "${path.name}" is not ${what}: its status is ${status}${said}`, {
    where: { target: client.target, xpath: path.toString() },
    next: next ?? adviceOn(status),
    severity: "partial",
  });
}

function adviceOn(status: string): string {
  if (status === FAILED)
    return "Mend the cause (type, availability zone, room of the backend). One that was never ready has nothing on it: $replace: true on the entry deletes it and makes it again.";
  if (status.startsWith(FAILED))
    return "What is on it may be whole: have an administrator look at it and set its state (openstack volume set --state), then run again. Do not replace it.";
  return "Look at the volume and its server (openstack volume show), and have an administrator look where it stays so; then run again.";
}

/** The last that the service noted of a volume; undefined where it notes nothing, or not to us. */
async function reasonOf(id: string, client: OpenstackClient): Promise<string | undefined> {
  try {
    const query = [["resource_uuid", id]] as const;
    const { body } = await client.request({ service: "volume", method: "GET", path: ["messages"], query, preferred: TELLS_WHY });
    const told = objectsAt(body, "messages").filter((message) => textAt(message, "resource_uuid") === id);
    const [last] = told.toSorted((a, b) => (textAt(b, "created_at") ?? "").localeCompare(textAt(a, "created_at") ?? ""));
    return last === undefined ? undefined : textAt(last, "user_message");
  } catch (error) {
    // Why counts less than that.
    if (!(error instanceof PlumblineError)) throw error;
    return undefined;
  }
}

export function volumeGone(path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("cloud-not-found", `"${path.name}" was deleted by somebody meanwhile`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Run again: it is made anew where the desired state still has it, without what was on it.",
  });
}
