import { PlumblineError } from "../../../core/errors.js";
import type { Lock } from "../../../engine/target.js";
import { addConfigLock, removeLock } from "../client/commands.js";
import { deviceMessage } from "../client/reply.js";
import { LOCK_MARK, readLocks } from "../locks.js";
import type { OpenSession } from "../session.js";

/**
 * Takes the configuration lock of a scope with this run's comment. After a lost reply, it reads the locks. Throws `device-locked` if
 * another administrator holds the lock, and `lock-already-ours` if another run of this administrator does.
 */
export async function takeLock(session: OpenSession, scope: string, comment: string, administrator: string): Promise<void> {
  const { client } = session;
  try {
    const reply = await client.attempt(addConfigLock(scope, comment));
    if (reply.outcome === "done") return;
    if (!/already own/i.test(deviceMessage(reply))) throw client.refusal(reply);
    if ((await ownLocks(session, comment, administrator)).length === 0) throw alreadyLockedByUs(session, scope);
  } catch (error) {
    if (!(error instanceof PlumblineError) || error.code !== "reply-lost") throw error;
    if ((await ownLocks(session, comment, administrator)).length === 0) throw error;
  }
}

/** Releases every configuration lock with this run's comment. Devices may release locks on commit, so it is fine if there are none. */
export async function giveBackLocks(session: OpenSession, comment: string, administrator: string): Promise<void> {
  for (const lock of await ownLocks(session, comment, administrator)) await remove(session, lock, undefined);
}

/** Removes the lock of another Plumbline run. The owner's name is only sent if it is another administrator. */
export async function breakLock(session: OpenSession, lock: Lock, administrator: string): Promise<void> {
  if (!lock.comment.startsWith(LOCK_MARK)) {
    throw new PlumblineError("lock-not-ours", `the ${lock.kind} lock of ${lock.owner} does not have Plumbline's mark`, {
      where: { target: session.client.place.target },
      next: "Ask its holder to release it.",
      severity: "refused",
    });
  }
  await remove(session, lock, lock.owner === administrator ? undefined : lock.owner);
}

async function ownLocks(session: OpenSession, comment: string, administrator: string): Promise<readonly Lock[]> {
  const locks = await readLocks(session, "config");
  return locks.filter((lock) => lock.owner === administrator && lock.comment === comment.trim());
}

async function remove({ client }: OpenSession, lock: Lock, owner: string | undefined): Promise<void> {
  const reply = await client.attempt(removeLock(lock.kind, lock.scope, owner));
  if (reply.outcome !== "done" && !/not currently locked|no lock|not held/i.test(deviceMessage(reply))) throw client.refusal(reply);
}

function alreadyLockedByUs({ client }: OpenSession, scope: string): PlumblineError {
  return new PlumblineError(
    "lock-already-ours",
    `the account already holds the configuration lock of ${scope}, from another run or manually`,
    {
      where: { target: client.place.target },
      next: "Wait for the other run, or use --takeover once it is over.",
      severity: "refused",
    },
  );
}
