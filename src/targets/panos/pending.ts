import type { PendingChange } from "../../plan/platform.js";
import { checkPendingChanges, showChanges } from "./client/commands.js";
import { textOf } from "./client/reply.js";
import { pendingIn } from "./pending-reply.js";
import type { OpenSession } from "./session.js";

/** Owner of a change if the device only reports that changes are pending. */
const UNKNOWN_OWNER = "unknown";

/**
 * Reads uncommitted changes. If the device cannot list them but reports that there are some, the result is one change of an unknown owner
 * to the complete configuration. If it supports neither, the result is empty and nothing is known.
 */
export async function readPending({ client, capabilities }: OpenSession): Promise<readonly PendingChange[]> {
  if (capabilities.changeList) return pendingIn(await client.run(showChanges));
  if (!capabilities.pendingCheck) return [];
  const { result } = await client.run(checkPendingChanges);
  return textOf(result) === "no" ? [] : [{ owner: UNKNOWN_OWNER, xpath: "/config", action: "unknown" }];
}
