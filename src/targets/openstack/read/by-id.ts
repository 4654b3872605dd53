import { objectAt, textAt } from "../../../core/json/value.js";
import type { HiddenObject, Missed } from "../../../engine/target.js";
import type { OpenstackClient } from "../client/client.js";
import { isNotFound, OpenstackError } from "../client/openstack-error.js";
import { kindOf } from "../objects/all.js";
import type { ListName } from "../objects/kinds.js";

/**
 * Objects that no list showed, asked for by the id that the ledger has. Only 404 says that one is gone, and that only to a token that
 * sees what it was recorded with: lists leave out a cell that is down, and lag behind.
 */
export async function hiddenByIds(missed: readonly Missed[], client: OpenstackClient): Promise<HiddenObject[]> {
  const found = await Promise.all(missed.map(async (each) => ({ path: each.path, reason: await reasonHidden(each, client) })));
  return found.flatMap(({ path, reason }) => (reason === undefined ? [] : [{ path, reason }]));
}

async function reasonHidden({ path, id, seesAll }: Missed, client: OpenstackClient): Promise<string | undefined> {
  const request = kindOf((path.parent?.tag ?? "") as ListName).request;
  if (request === undefined) return undefined;
  try {
    const { body } = await client.request({ service: request.service, method: "GET", path: [request.path[0] ?? "", id] });
    const status = textAt(Object.values(objectAt({ body }, "body") ?? {})[0] as never, "status");
    return `the service has ${id}${status === undefined ? "" : ` (${status})`}, and its list did not show it`;
  } catch (error) {
    if (!(error instanceof OpenstackError)) throw error;
    if (!isNotFound(error)) return `asked for ${id}, the service says: ${error.words === "" ? error.status : error.words}`;
    return seesAll ? undefined : `the service does not know ${id}, and the token has no longer the project and roles that it was seen with`;
  }
}
