import type { PendingChange } from "../../plan/platform.js";
import { textOf } from "./client/reply.js";
import { op } from "./client/request.js";
import { checkPendingChanges, showChanges } from "./commands.js";
import { requireSuccess } from "./device-errors.js";
import { pendingIn } from "./pending-reply.js";
import type { OpenSession } from "./session.js";

/** Stands for the owner where a device tells only that something is pending. */
const UNKNOWN_OWNER = "unknown";

/**
 * Uncommitted changes: the journal where the device lists it; else, where it only says that there are some, one
 * change of an unknown owner to the whole configuration; else nothing, and nothing is known.
 */
export async function askPending({ client, capabilities }: OpenSession): Promise<readonly PendingChange[]> {
  if (capabilities.changeList) return pendingIn(requireSuccess(await client.send(op(showChanges)), client.place));
  if (!capabilities.pendingCheck) return [];
  const { result } = requireSuccess(await client.send(op(checkPendingChanges)), client.place);
  return textOf(result) === "no" ? [] : [{ owner: UNKNOWN_OWNER, xpath: "/config", action: "unknown" }];
}
