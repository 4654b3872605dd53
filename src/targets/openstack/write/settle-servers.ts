import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import { OpenstackError } from "../../openstack-client/client/openstack-error.js";
import { serverObjects } from "../objects/server-writer.js";
import type { WriteContext } from "./context.js";

/** Interval between polls, and maximum build time, in milliseconds. */
const POLL_INTERVAL = 2000;
const LONGEST_BUILD = 15 * 60_000;

/**
 * Watches new servers until each is ACTIVE or has failed, with one list request per poll. A server that the list omits is requested by id:
 * only 404 proves its deletion. Resolves with the failures.
 */
export async function settleServers(context: WriteContext, progress: Progress): Promise<readonly PlumblineError[]> {
  const { building, client, dependencies, late } = context;
  const until = dependencies.clock.now() + LONGEST_BUILD;
  while (building.size > 0) {
    const servers = await client.list({ service: "compute", path: ["servers", "detail"], collection: "servers" });
    const byId = new Map(servers.map((server) => [textAt(server, "id") ?? "", server]));
    const isLate = dependencies.clock.now() >= until;
    for (const [id, path] of [...building]) {
      const server = byId.get(id) ?? (await shown(id, context));
      if (server instanceof OpenstackError) {
        building.delete(id);
        late.push(unseen(server, id, path, client.target));
        continue;
      }
      const status = server === undefined ? "DELETED" : (textAt(server, "status") ?? "UNKNOWN");
      progress({ job: path.name ?? id, percent: percentOf(server), status });
      if (status === "BUILD" && !isLate) continue;
      building.delete(id);
      // The server was stopped after its build, by this run or by another user.
      if (status !== "ACTIVE" && status !== "SHUTOFF") late.push(failure(server, status, path, client.target));
    }
    if (building.size > 0) await dependencies.clock.sleep(POLL_INTERVAL);
  }
  return late.splice(0);
}

/** Reads the server by id. Returns undefined for a deleted server, and the error if the service refuses. */
async function shown(id: string, context: WriteContext): Promise<JsonObject | OpenstackError | undefined> {
  try {
    return await serverObjects.fresh(id, context);
  } catch (error) {
    if (!(error instanceof OpenstackError)) throw error;
    return error;
  }
}

function unseen(cause: OpenstackError, id: string, path: Path, target: string): PlumblineError {
  const detail = `the list of servers omits it, and the service answers for ${id}: ${cause.words === "" ? cause.status : cause.words}`;
  return new PlumblineError("object-hidden", `server "${path.name}" was created, and it is unknown whether it is built: ${detail}`, {
    where: { target, xpath: path.toString() },
    next: "Run again when the service shows it. Its id is recorded, so it is not created a second time.",
    severity: "refused",
    cause,
  });
}

function percentOf(server: JsonObject | undefined): number | undefined {
  return typeof server?.progress === "number" ? server.progress : undefined;
}

function failure(server: JsonObject | undefined, status: string, path: Path, target: string): PlumblineError {
  const fault = server === undefined ? undefined : textAt(objectAt(server, "fault") ?? {}, "message");
  const why = server === undefined ? "it was deleted during the build" : (fault ?? `its status is ${status}`);
  return new PlumblineError("server-not-built", `server "${path.name}" was not built: ${why}`, {
    where: { target, xpath: path.toString() },
    next: "Fix the cause. $replace: true on the entry recreates the server.",
  });
}
