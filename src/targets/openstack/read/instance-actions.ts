import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import { type Attribution, UNKNOWN_ADMIN } from "../../../plan/diff/change.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";

/** From this microversion, the service also returns actions of deleted servers. */
const MICROVERSION = "2.21";

/** From this microversion, events contain the reason of a failure. */
const WITH_MESSAGES = "2.84";

/** Actions that can change a child of a server's entry. The service records no actions for other children. */
const DOINGS: Readonly<Record<string, readonly string[]>> = {
  image: ["rebuild"],
  rebuilding: ["rebuild"],
  flavor: ["resize", "confirmResize", "revertResize"],
  resizing: ["resize", "migrate", "revertResize"],
  networks: ["attach_interface", "detach_interface"],
  volumes: ["attach_volume", "detach_volume"],
  power: ["start", "stop", "pause", "unpause", "suspend", "resume", "shelve", "shelveOffload", "unshelve", "rescue", "unrescue"],
};

/** Returns who changed the state at `path` of a server, from the compute service's records. Undefined if they do not show it. */
export async function doerOf(path: Path, id: string, client: OpenstackClient): Promise<Attribution | undefined> {
  const [, list, , child] = path.steps();
  if (list?.tag !== "servers") return undefined;
  const isDoing = child === undefined ? is("delete") : child.tag === "fault" ? () => true : is(...(DOINGS[child.tag] ?? []));
  const last = newest((await actionsOn(id, client)).filter(isDoing));
  if (last === undefined) return undefined;
  const { user } = await client.session();
  const by = textAt(last, "user_id") ?? UNKNOWN_ADMIN;
  return { admin: by === user?.id ? (user.name ?? by) : by, time: `${timeOf(last).slice(0, 19)}Z`, request: textAt(last, "request_id") };
}

/** Returns the last action with one of these names on a server. Undefined if the service does not report it. */
export async function lastAction(id: string, names: readonly string[], client: OpenstackClient): Promise<JsonObject | undefined> {
  return newest((await actionsOn(id, client)).filter(is(...names)));
}

/** Returns the reason why an action failed. Undefined if the service does not report it. */
export async function failureOf(id: string, action: JsonObject, client: OpenstackClient): Promise<string | undefined> {
  const path = ["servers", id, "os-instance-actions", textAt(action, "request_id") ?? ""];
  try {
    const { body } = await client.request({ service: "compute", method: "GET", path, preferred: WITH_MESSAGES });
    const events = objectsAt(objectAt(body, "instanceAction") ?? {}, "events");
    return events.flatMap((event) => textAt(event, "details") ?? [])[0] ?? textAt(action, "message");
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    return textAt(action, "message");
  }
}

/** Plumbline's own member for a server whose last rebuild failed. No service has a member with this name. */
const UNREBUILT = "plumbline:unrebuilt";

/**
 * Marks a server in ERROR if its last rebuild failed: the content of its disk is then unknown. It sends one request per server in ERROR.
 */
export async function withFailedRebuild(server: JsonObject, client: OpenstackClient): Promise<JsonObject> {
  if (server.status !== "ERROR" || objectAt(server, "image") === undefined) return server;
  const last = newest(await actionsOn(textAt(server, "id") ?? "", client));
  return last?.action === "rebuild" && textAt(last, "message") !== undefined ? { ...server, [UNREBUILT]: true } : server;
}

export function isUnrebuilt(server: JsonObject): boolean {
  return server[UNREBUILT] === true;
}

function newest(actions: readonly JsonObject[]): JsonObject | undefined {
  return actions.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))[0];
}

function is(...names: readonly string[]): (action: JsonObject) => boolean {
  return (action) => names.includes(textAt(action, "action") ?? "");
}

function timeOf(action: JsonObject): string {
  return textAt(action, "start_time") ?? "";
}

async function actionsOn(id: string, client: OpenstackClient): Promise<JsonObject[]> {
  const path = ["servers", id, "os-instance-actions"];
  try {
    const { body } = await client.request({ service: "compute", method: "GET", path, microversion: MICROVERSION });
    return [...objectsAt(body, "instanceActions")];
  } catch (error) {
    // A missing author must not prevent the drift report.
    if (!(error instanceof PlumblineError)) throw error;
    return [];
  }
}
