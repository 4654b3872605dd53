import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Attribution } from "../../../plan/diff/change.js";
import type { OpenstackClient } from "../client/client.js";

/** From here on the service also tells of servers that are gone. */
const MICROVERSION = "2.21";

/** What may have been done where a child of a server's entry differs; of others the service keeps no record. */
const DOINGS: Readonly<Record<string, readonly string[]>> = {
  image: ["rebuild"],
  flavor: ["resize", "confirmResize", "revertResize"],
  networks: ["attach_interface", "detach_interface"],
  power: ["start", "stop", "pause", "unpause", "suspend", "resume", "shelve", "shelveOffload", "unshelve", "rescue", "unrescue"],
};

/** Who did to a server what shows at `path`, as the compute service remembers it; undefined where it does not say. */
export async function doerOf(path: Path, id: string, client: OpenstackClient): Promise<Attribution | undefined> {
  const [, list, , child] = path.steps();
  if (list?.tag !== "servers") return undefined;
  const isDoing = child === undefined ? is("delete") : child.tag === "fault" ? () => true : is(...(DOINGS[child.tag] ?? []));
  const actions = (await actionsOn(id, client)).filter(isDoing);
  const [last] = actions.sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
  if (last === undefined) return undefined;
  const { user } = await client.session();
  const by = textAt(last, "user_id") ?? "unknown";
  return { admin: by === user?.id ? (user.name ?? by) : by, time: `${timeOf(last).slice(0, 19)}Z`, request: textAt(last, "request_id") };
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
