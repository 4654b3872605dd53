import type { Lock } from "../../engine/target.js";
import { showLocks } from "./client/commands.js";
import { requireSuccess } from "./client/device-errors.js";
import { childOf, type DeviceReply, descend, textOf } from "./client/reply.js";
import { op } from "./client/request.js";
import type { OpenSession } from "./session.js";

/** Prefix of the comment of every lock that Plumbline takes. */
export const LOCK_MARK = "plumbline/1 ";

/**
 * Reads configuration and commit locks, or those of one `kind`, of all virtual systems and shared. Empty if the device does not support
 * locks.
 */
export async function readLocks(session: OpenSession, kind?: Lock["kind"]): Promise<readonly Lock[]> {
  if (!session.capabilities.locks) return [];
  if (kind !== undefined) return await askKind(session, kind);
  const [config, commit] = await Promise.all([askKind(session, "config"), askKind(session, "commit")]);
  return [...config, ...commit];
}

async function askKind({ client }: OpenSession, kind: Lock["kind"]): Promise<readonly Lock[]> {
  return locksIn(requireSuccess(await client.send(op(showLocks(kind))), client.place), kind);
}

/** Parses a reply that lists the locks of one kind. */
export function locksIn({ result }: DeviceReply, kind: Lock["kind"]): readonly Lock[] {
  const entries = descend(result, `${kind}-locks`)?.children ?? [];
  return entries
    .filter((entry) => entry.tag === "entry")
    .map((entry) => {
      const created = textOf(childOf(entry, "created"));
      return {
        kind,
        scope: textOf(childOf(entry, "name")) || textOf(childOf(entry, "type")) || "shared",
        owner: entry.name ?? "",
        comment: textOf(childOf(entry, "comment")),
        created: created === "" ? undefined : created,
      };
    });
}
