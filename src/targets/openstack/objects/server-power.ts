import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import { isNotFound, isOutcomeUnknown } from "../client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { powerOf, SERVER_MICROVERSION } from "./server.js";

/** Between two looks at a server that changes, and the longest that stopping or starting may take, in milliseconds. */
const LOOK_AGAIN = 2000;
const LONGEST_SWITCH = 5 * 60_000;

type Power = "on" | "off";

/** What is left to do of a change when all was written. */
export type Rest = (progress: Progress) => Promise<void>;

interface Switch {
  readonly id: string;
  readonly wanted: Power;
  readonly path: Path;
  readonly context: WriteContext;
}

/**
 * Starts or stops a server, and gives what is left of it: many are waited for at once, when all is written. What somebody else has
 * under way comes first. Locked, paused and building servers are the service's to refuse.
 */
export async function switchPower(server: JsonObject, wanted: Power, path: Path, context: WriteContext): Promise<Rest> {
  const id = textAt(server, "id") ?? "";
  const told = isIdle(server) && (await isTold(id, ACTIONS[wanted], context));
  return (progress) => untilSwitched({ id, wanted, path, context }, told, progress);
}

const ACTIONS = { on: { "os-start": null }, off: { "os-stop": null } } as const;

/** `told`: the service took our request, which is not sent again over what somebody does since. */
export async function untilSwitched({ id, wanted, path, context }: Switch, told: boolean, progress: Progress): Promise<void> {
  const waiting = { what: wanted === "on" ? "running" : "stopped", longest: LONGEST_SWITCH, progress };
  const isDue = (server: JsonObject) => powerOf(server) === wanted;
  const server = await untilIdle(id, path, waiting, context);
  if (isDue(server)) return;
  if (told) throw notChanged(server, waiting.what, path, context);
  await act(id, ACTIONS[wanted], context);
  const then = await untilIdle(id, path, { ...waiting, isDue }, context);
  if (!isDue(then)) throw notChanged(then, waiting.what, path, context);
}

type Action = { readonly [action: string]: null | { readonly flavorRef: string } | { readonly imageRef: string } };

/** `POST servers/ID/action` */
export async function act(id: string, body: Action, { client }: WriteContext): Promise<void> {
  await client.request({ service: "compute", method: "POST", path: ["servers", id, "action"], body });
}

/** Whether the service took it for sure; false where the reply was lost. */
export async function isTold(id: string, body: Action, context: WriteContext): Promise<boolean> {
  try {
    await act(id, body, context);
    return true;
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    return false;
  }
}

/** The service has nothing under way on it. */
export function isIdle(server: JsonObject): boolean {
  return textAt(server, "OS-EXT-STS:task_state") === undefined;
}

interface Waiting {
  /** What it was to be: `stopped`. */
  readonly what: string;
  /** The longest wait, in milliseconds. */
  readonly longest: number;
  readonly progress: Progress;
  /** Waits on, too, while the service has nothing under way and this does not hold; not for one in ERROR. */
  readonly isDue?: (server: JsonObject) => boolean;
}

/**
 * The server when the service has nothing under way on it.
 * @throws PlumblineError `server-not-changed` after the longest wait, `cloud-not-found` where somebody deleted it
 */
export async function untilIdle(
  id: string,
  path: Path,
  { what, longest, progress, isDue = () => true }: Waiting,
  context: WriteContext,
): Promise<JsonObject> {
  const { clock } = context.dependencies;
  const until = clock.now() + longest;
  for (;;) {
    const server = await shown(id, path, context);
    if (isIdle(server) && (isDue(server) || server.status === "ERROR")) return server;
    progress({
      job: path.name ?? id,
      percent: undefined,
      status: textAt(server, "OS-EXT-STS:task_state") ?? textAt(server, "status") ?? "",
    });
    if (clock.now() >= until) throw notChanged(server, what, path, context);
    await clock.sleep(LOOK_AGAIN);
  }
}

async function shown(id: string, path: Path, { client, inventory }: WriteContext): Promise<JsonObject> {
  const gone = () =>
    new PlumblineError("cloud-not-found", `"${path.name}" was deleted by somebody meanwhile`, {
      where: { target: client.target, xpath: path.toString() },
      next: "Run again: it is made anew where the desired state still has it.",
    });
  try {
    const { body } = await client.request({ service: "compute", method: "GET", path: ["servers", id], preferred: SERVER_MICROVERSION });
    const server = objectAt(body, "server");
    if (server === undefined) throw gone();
    inventory.put("servers", server);
    return server;
  } catch (error) {
    throw isNotFound(error) ? gone() : error;
  }
}

/** `what` it was to be and is not. */
function notChanged(server: JsonObject, what: string, path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("server-not-changed", `server "${path.name}" is not ${what}: ${stateOf(server)}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Look at what the service says of it (openstack server show, openstack server event list), then run again.",
    severity: "partial",
  });
}

/** What the service says of it: its status, what is under way, the text of its fault. */
export function stateOf(server: JsonObject): string {
  const task = textAt(server, "OS-EXT-STS:task_state");
  const fault = textAt(objectAt(server, "fault") ?? {}, "message");
  return `its status is ${textAt(server, "status") ?? "not told"}${task === undefined ? "" : ` (${task})`}${fault === undefined ? "" : `: ${fault}`}`;
}
