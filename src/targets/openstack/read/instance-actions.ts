import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import { type Attribution, UNKNOWN_ADMIN } from "../../../plan/diff/change.js";
import type { OpenstackClient } from "../client/client.js";

/** From here on the service also tells of servers that are gone. */
const MICROVERSION = "2.21";

/** From here on the events of an action say why it failed. */
const TELLS_WHY = "2.84";

/** What may have been done where a child of a server's entry differs; of others the service keeps no record. */
const DOINGS: Readonly<Record<string, readonly string[]>> = {
  image: ["rebuild"],
  rebuilding: ["rebuild"],
  flavor: ["resize", "confirmResize", "revertResize"],
  resizing: ["resize", "migrate", "revertResize"],
  networks: ["attach_interface", "detach_interface"],
  volumes: ["attach_volume", "detach_volume"],
  power: ["start", "stop", "pause", "unpause", "suspend", "resume", "shelve", "shelveOffload", "unshelve", "rescue", "unrescue"],
};

/** Who did to a server what shows at `path`, as the compute service remembers it; undefined where it does not say. */
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

/** The last action of one of these names that was asked of a server; undefined where the service does not say. */
export async function lastAction(id: string, names: readonly string[], client: OpenstackClient): Promise<JsonObject | undefined> {
  return newest((await actionsOn(id, client)).filter(is(...names)));
}

/** What the service says of how an action failed; undefined where it does not. */
export async function failureOf(id: string, action: JsonObject, client: OpenstackClient): Promise<string | undefined> {
  const path = ["servers", id, "os-instance-actions", textAt(action, "request_id") ?? ""];
  try {
    const { body } = await client.request({ service: "compute", method: "GET", path, preferred: TELLS_WHY });
    const events = objectsAt(objectAt(body, "instanceAction") ?? {}, "events");
    return events.flatMap((event) => textAt(event, "details") ?? [])[0] ?? textAt(action, "message");
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    return textAt(action, "message");
  }
}

/** Our own note on a server whose last rebuild failed; no service has a member of that name. */
const UNREBUILT = "plumbline:unrebuilt";

/** Notes on a server in ERROR that this came of its rebuild: what its disk is of, nobody knows. One list of actions for each in ERROR. */
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
    // That drift is there counts more than who did it: a service that does not say so, or not to us, spoils no report.
    if (!(error instanceof PlumblineError)) throw error;
    return [];
  }
}
