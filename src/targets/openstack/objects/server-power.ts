import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import { isNotFound, isOutcomeUnknown } from "../../openstack-client/client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { powerOf, SERVER_MICROVERSION } from "./server.js";

/** Interval between polls, and maximum time to stop or start a server, in milliseconds. */
const POLL_INTERVAL = 2000;
const LONGEST_SWITCH = 5 * 60_000;

type Power = "on" | "off";

/** The rest of a change, done after all writes. */
export type Rest = (progress: Progress) => Promise<void>;

interface Switch {
  readonly id: string;
  readonly wanted: Power;
  readonly path: Path;
  readonly context: WriteContext;
}

/**
 * Starts or stops a server, and returns the rest of the work: waiting for many servers in parallel after all writes. Another operation in
 * progress finishes first. The service refuses locked, paused and building servers.
 */
export async function switchPower(server: JsonObject, wanted: Power, path: Path, context: WriteContext): Promise<Rest> {
  const id = textAt(server, "id") ?? "";
  const isAccepted = isIdle(server) && (await isActionAccepted(id, ACTIONS[wanted], context));
  return (progress) => untilSwitched({ id, wanted, path, context }, isAccepted, progress);
}

const ACTIONS = { on: { "os-start": null }, off: { "os-stop": null } } as const;

/** `isAccepted`: whether the service accepted the request. It is then not repeated, because another user may have changed the server since. */
export async function untilSwitched({ id, wanted, path, context }: Switch, isAccepted: boolean, progress: Progress): Promise<void> {
  const waiting = { what: wanted === "on" ? "running" : "stopped", longest: LONGEST_SWITCH, progress };
  const isDue = (server: JsonObject) => powerOf(server) === wanted;
  const server = await untilIdle(id, path, waiting, context);
  if (isDue(server)) return;
  if (isAccepted) throw notChanged(server, waiting.what, path, context);
  await act(id, ACTIONS[wanted], context);
  const then = await untilIdle(id, path, { ...waiting, isDue }, context);
  if (!isDue(then)) throw notChanged(then, waiting.what, path, context);
}

type Action = { readonly [action: string]: null | { readonly flavorRef: string } | { readonly imageRef: string } };

/** Sends `POST servers/ID/action`. */
export async function act(id: string, body: Action, { client }: WriteContext): Promise<void> {
  await client.request({ service: "compute", method: "POST", path: ["servers", id, "action"], body });
}

/** Returns true if the service accepted the request, and false if the reply was lost. */
export async function isActionAccepted(id: string, body: Action, context: WriteContext): Promise<boolean> {
  try {
    await act(id, body, context);
    return true;
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    return false;
  }
}

/** Whether the service is not working on the server. */
export function isIdle(server: JsonObject): boolean {
  return textAt(server, "OS-EXT-STS:task_state") === undefined;
}

interface Waiting {
  /** The expected result, for example `stopped`. */
  readonly what: string;
  /** Maximum time in milliseconds. */
  readonly longest: number;
  readonly progress: Progress;
  /** Additional condition to wait for. Ignored for a server in ERROR. */
  readonly isDue?: (server: JsonObject) => boolean;
}

/**
 * Waits until the service is no longer working on the server, and returns it.
 * @throws PlumblineError `server-not-changed` after the maximum time, `cloud-not-found` if another user deleted it
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
    await clock.sleep(POLL_INTERVAL);
  }
}

async function shown(id: string, path: Path, { client, inventory }: WriteContext): Promise<JsonObject> {
  const deletedServer = () =>
    new PlumblineError("cloud-not-found", `"${path.name}" was deleted in the meantime`, {
      where: { target: client.target, xpath: path.toString() },
      next: "Run again: it is created again if it is still declared.",
    });
  try {
    const { body } = await client.request({ service: "compute", method: "GET", path: ["servers", id], preferred: SERVER_MICROVERSION });
    const server = objectAt(body, "server");
    if (server === undefined) throw deletedServer();
    inventory.put("servers", server);
    return server;
  } catch (error) {
    throw isNotFound(error) ? deletedServer() : error;
  }
}

/** Builds the error for a missing result (`what`). */
function notChanged(server: JsonObject, what: string, path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("server-not-changed", `server "${path.name}" is not ${what}: ${stateOf(server)}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Check the server (openstack server show, openstack server event list), then run again.",
    severity: "partial",
  });
}

/** Describes a server: status, task and fault. */
export function stateOf(server: JsonObject): string {
  const task = textAt(server, "OS-EXT-STS:task_state");
  const fault = textAt(objectAt(server, "fault") ?? {}, "message");
  return `its status is ${textAt(server, "status") ?? "not told"}${task === undefined ? "" : ` (${task})`}${fault === undefined ? "" : `: ${fault}`}`;
}
