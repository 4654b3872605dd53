import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { HiddenObject, Missed } from "../../../engine/target.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import { isNotFound, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { ListRequest } from "../../openstack-client/client/pages.js";
import { kindOf } from "../objects/all.js";
import type { ListName } from "../objects/kinds.js";
import { metadataMark } from "../owner-marks.js";
import { projectOf } from "./hidden-objects.js";
import type { Inventory } from "./inventory.js";

/** Maximum number of unlisted servers to request individually. More indicate a service failure. */
const MOST_READ = 20;

/**
 * Requests objects that no list contained by their id in the ledger. Only 404 proves a deletion, and only to a token with the recorded
 * project and roles: lists omit cells that are down, and may be outdated. Servers whose id no ledger has, because the run that created
 * them was killed, are found by the ports in `inventory` of unlisted servers.
 */
export async function hiddenByIds(missed: readonly Missed[], inventory: Inventory, client: OpenstackClient): Promise<HiddenObject[]> {
  const unlisted = missed.some(isServer) ? await unlistedServers(inventory, client) : [];
  const reasonOf = async (each: Missed) =>
    (each.id === undefined ? undefined : await reasonHidden(each, each.id, client)) ?? reasonUnlisted(each, unlisted);
  const found = await Promise.all(missed.map(async (each) => ({ path: each.path, reason: await reasonOf(each) })));
  return found.flatMap(({ path, reason }) => (reason === undefined ? [] : [{ path, reason }]));
}

function isServer({ path }: Missed): boolean {
  return path.parent?.tag === "servers";
}

function reasonUnlisted(missed: Missed, unlisted: readonly UnlistedServer[]): string | undefined {
  return isServer(missed) ? unlisted.find(({ names }) => names === undefined || names.includes(missed.path.name ?? ""))?.reason : undefined;
}

async function reasonHidden({ path, seesAll }: Missed, id: string, client: OpenstackClient): Promise<string | undefined> {
  const request = kindOf((path.parent?.tag ?? "") as ListName).request;
  if (request === undefined) return undefined;
  const { object, refused } = await byId(request.service, request.path[0] ?? "", id, client);
  if (refused !== undefined) return refused;
  if (object !== undefined) return shown(id, object);
  return seesAll ? undefined : `the service does not know ${id}, and the token has no longer the project and roles that it was seen with`;
}

/** A server that has a port in this project but is in no list. */
interface UnlistedServer {
  /** Possible names in documents. Undefined if unknown. */
  readonly names: readonly (string | undefined)[] | undefined;
  readonly reason: string;
}

async function unlistedServers(inventory: Inventory, client: OpenstackClient): Promise<UnlistedServer[]> {
  if (!inventory.has("servers") || !inventory.has("ports")) return [];
  const project = (await client.session()).project?.id;
  const ports = [...inventory.objects("ports")].filter(
    (port) => textAt(port, "device_owner")?.startsWith("compute:") === true && projectOf(port) === project,
  );
  const ids = [...new Set(ports.map((port) => textAt(port, "device_id") ?? ""))].filter(
    (id) => id !== "" && inventory.object("servers", id) === undefined,
  );
  if (ids.length > MOST_READ)
    return [{ names: undefined, reason: `the service has ports of ${ids.length} servers that its list did not show` }];
  const replies = await Promise.all(
    ids.map(async (id): Promise<UnlistedServer | undefined> => {
      const { object, refused } = await byId("compute", "servers", id, client);
      if (object === undefined) return refused === undefined ? undefined : { names: undefined, reason: refused };
      const name = textAt(object, "name");
      return { names: name === undefined ? undefined : [name, metadataMark(object)?.key], reason: shown(id, object) };
    }),
  );
  return replies.flatMap((each) => each ?? []);
}

function shown(id: string, object: JsonObject): string {
  const status = textAt(object, "status");
  return `the service has ${id}${status === undefined ? "" : ` (${status})`}, and its list did not show it`;
}

/** Returns neither an object nor a refusal if the service does not know the id. */
async function byId(
  service: ListRequest["service"],
  list: string,
  id: string,
  client: OpenstackClient,
): Promise<{ readonly object?: JsonObject; readonly refused?: string }> {
  try {
    const { body } = await client.request({ service, method: "GET", path: [list, id] });
    return { object: (Object.values(objectAt({ body }, "body") ?? {})[0] ?? {}) as JsonObject };
  } catch (error) {
    if (!(error instanceof OpenstackError)) throw error;
    return isNotFound(error) ? {} : { refused: `the service answers for ${id}: ${error.words === "" ? error.status : error.words}` };
  }
}
