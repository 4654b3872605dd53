import { millisecondsOf } from "../../core/device-time.js";
import { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import { isLeaseLost, type WriteLease } from "../../core/write-lease.js";
import type { Fenced } from "../fence.js";
import type { UnchangedSince } from "../lease/unchanged-since.js";
import type { Machine } from "../pass/machine.js";
import { locksOn } from "../pending-and-locks.js";
import type { Lock, ReadTarget } from "../target.js";
import type { Locks } from "../write-target.js";
import { isLost } from "./errors.js";
import { formatMark, formatRun, isDead, type LockMark, parseMark, type Run } from "./lock-mark.js";

export interface LockRequest {
  readonly target: ReadTarget;
  readonly locks: Fenced<Locks>;
  readonly owner: string;
  readonly administrator: string;
  readonly run: Run;
  readonly digest: string;
  /** Paths that the plan writes or commits. Locks on other virtual systems or device groups are ignored. */
  readonly touched: readonly Path[];
  readonly takeoverAfter: number;
  readonly takeover: boolean;
  readonly lockTimeout: number;
  readonly machine: Machine;
  readonly seen: UnchangedSince;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly lease?: WriteLease | undefined;
  /** Called if the lock is not free immediately. */
  readonly onWait?: () => void;
}

const POLL = 2000;

/**
 * Takes the configuration lock with our mark. If the target refuses it, another run or administrator may have been faster since the locks
 * were listed: they are listed once more, so that the error names the holder, or the run waits.
 * @returns True if a lock that another Plumbline run left was taken over.
 * @throws PlumblineError `locked-by-other`, `locked-by-run` (both refused) after `lockTimeout` seconds.
 */
export async function acquireLock(request: LockRequest): Promise<boolean> {
  const until = request.machine.monotonic() + request.lockTimeout * 1000;
  let tookOver = false;
  for (let refusals = 0; ; ) {
    const held = relevant(await locksOn(request.target), request);
    const refusal = (await Promise.all(held.map((lock) => refusalOf(lock, request)))).find((error) => error !== undefined);
    if (refusal === undefined) {
      for (const lock of held) await request.locks.breakLock(lock);
      tookOver ||= held.length > 0;
      try {
        await lock(request);
        return tookOver;
      } catch (error) {
        if (!(error instanceof PlumblineError) || isLost(error) || isLeaseLost(error) || ++refusals > 1) throw error;
        continue;
      }
    }
    if (request.machine.monotonic() >= until) throw refusal;
    request.onWait?.();
    await request.sleep(POLL);
  }
}

async function lock({ locks, owner, run, digest, lease, touched }: LockRequest): Promise<void> {
  await locks.lock(formatMark(owner, run, digest, lease?.fence), touched);
}

/** Returns true for a lock with our owner's mark that no living run holds. A killed run left it. */
export async function isLeftover(lock: Lock, owner: string, administrator: string, judge: LockJudge): Promise<boolean> {
  const mark = parseMark(lock.comment);
  return lock.owner === administrator && mark?.owner === owner && (await isOver(lock, mark, judge));
}

/** The data that decides whether a run is over. */
export type LockJudge = Pick<LockRequest, "target" | "machine" | "seen" | "takeoverAfter" | "lease">;

/** Returns true if the run of the mark is over: its lease has passed to us, its process is gone, or the lock is too old. */
async function isOver(lock: Lock, mark: LockMark, judge: LockJudge): Promise<boolean> {
  const { machine, takeoverAfter, lease } = judge;
  if (lease !== undefined && mark.fence !== undefined && mark.fence < lease.fence) return true;
  return isDead(mark.run, machine) || (await ageOf(lock, judge)) > takeoverAfter * 1000;
}

/**
 * Returns the age of a lock in milliseconds. Uses the device clock, which also set the creation time. If the device clock cannot be read,
 * returns the time for which we have seen the lock. Clocks of two machines are never compared.
 */
async function ageOf(lock: Lock, { target, seen }: LockJudge): Promise<number> {
  const created = millisecondsOf(lock.created ?? "");
  const now = Number.isNaN(created) ? undefined : await target.logs?.deviceTime().catch(() => undefined);
  if (now !== undefined) return millisecondsOf(now) - created;
  return await seen.for(`${target.name} lock of ${lock.scope}`, JSON.stringify([lock.comment, lock.created]));
}

/** Returns true if this run still holds the lock. Another run may have judged this one dead. */
export async function holdsLock(target: ReadTarget, run: Run): Promise<boolean> {
  const locks = await locksOn(target, "config");
  return locks.some((lock) => lock.kind === "config" && sameRun(parseMark(lock.comment)?.run, run));
}

function sameRun(a: Run | undefined, b: Run): boolean {
  return a !== undefined && formatRun(a) === formatRun(b);
}

/** Returns locks on the touched paths and all our own locks: two runs of one owner never work in parallel. */
function relevant(locks: readonly Lock[], { touched, owner, administrator }: LockRequest): Lock[] {
  const names = new Set(touched.flatMap((path) => path.steps().map((step) => step.name)));
  const isOwn = (lock: Lock): boolean => lock.owner === administrator && parseMark(lock.comment)?.owner === owner;
  return locks.filter((lock) => lock.scope === "shared" || lock.scope === "" || names.has(lock.scope) || isOwn(lock));
}

async function refusalOf(lock: Lock, request: LockRequest): Promise<PlumblineError | undefined> {
  const mark = parseMark(lock.comment);
  const where = { target: request.target.name };
  const since = lock.created === undefined ? "" : ` since ${lock.created}`;
  const comment = lock.comment === "" ? "" : ` ("${lock.comment}")`;
  if (lock.owner !== request.administrator || (mark !== undefined && mark.owner !== request.owner)) {
    return new PlumblineError("locked-by-other", `${lock.owner} holds the ${lock.kind} lock of ${lock.scope}${since}${comment}`, {
      where,
      next: `Wait until ${lock.owner} has finished, or ask them to remove the lock. --lock-timeout waits.`,
      severity: "refused",
    });
  }
  if (request.takeover) return undefined;
  if (mark === undefined) {
    return new PlumblineError(
      "locked-by-other",
      `The account of this target already holds the ${lock.kind} lock of ${lock.scope}${since}${comment}`,
      {
        where,
        next: "Find out who uses the account; --takeover removes the lock and their uncommitted work.",
        severity: "refused",
      },
    );
  }
  if (await isOver(lock, mark, request)) return undefined;
  return new PlumblineError("locked-by-run", `Another run (${formatRun(mark.run)}) is active`, {
    where,
    next: `Wait for it; a lock older than ${request.takeoverAfter} s is taken over, --takeover does so now.`,
    severity: "refused",
  });
}
