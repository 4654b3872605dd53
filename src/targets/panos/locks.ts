import type { Lock } from "../../engine/target.js";
import { showLocks } from "./client/commands.js";
import { childOf, type DeviceReply, descend, textOf } from "./client/reply.js";
import type { OpenSession } from "./session.js";

/** Prefix of the comment of every lock that Plumbline takes. */
export const LOCK_MARK = "plumbline/1 ";

/**
 * Reads configuration and commit locks, or those of one `kind`, of all virtual systems and shared. Empty if the device does not support
 * locks.
 */
export async function readLocks(session: OpenSession, kind?: Lock["kind"]): Promise<readonly Lock[]> {
  if (!session.capabilities.locks) return [];
  if (kind !== undefined) return await readKind(session, kind);
  const [config, commit] = await Promise.all([readKind(session, "config"), readKind(session, "commit")]);
  return [...config, ...commit];
}

async function readKind({ client }: OpenSession, kind: Lock["kind"]): Promise<readonly Lock[]> {
  return locksIn(await client.run(showLocks(kind)), kind);
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
