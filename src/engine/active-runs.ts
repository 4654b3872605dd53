import pLimit from "p-limit";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import { formatRun, isDead, parseMark } from "./apply/lock-mark.js";
import { PREFIX } from "./apply/push-part.js";
import type { LeasePlace } from "./lease/lease-place.js";
import { takeoverReason } from "./lease/takeover-reason.js";
import type { UnchangedSince } from "./lease/unchanged-since.js";
import type { Machine } from "./pass/machine.js";
import type { Readers } from "./pass/options.js";
import { locksOn } from "./pending-and-locks.js";
import type { ReadTarget } from "./target.js";

/** Runs that had begun to write to a target before it was paused. */
export interface ActiveRuns {
  readonly target: string;
  /** Runs of any owner that hold a lock, and push jobs of runs that have not ended. Undefined if that is unknown. */
  readonly runs: readonly string[] | undefined;
  /** Why the runs are unknown. */
  readonly unknown?: string | undefined;
}

export interface WaitForRuns {
  readonly connect: Readers["reader"];
  readonly machine: Machine;
  /** Leases of targets without locks. */
  readonly leases: LeasePlace;
  /** Leases as earlier polls saw them. */
  readonly seen: UnchangedSince;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds to wait for runs to end. */
  readonly wait: number;
  /** Called for each target with a running run. */
  readonly report: (waitedFor: ActiveRuns) => void;
}

const POLL = 1000;
const CONCURRENCY = 8;

/** Waits for runs that write to the targets. Returns the targets with runs that may still write when the time is over. */
export async function waitForRuns(targets: readonly TargetConfiguration[], options: WaitForRuns): Promise<readonly ActiveRuns[]> {
  const limit = pLimit(CONCURRENCY);
  const found = await Promise.all(targets.map((target) => limit(() => waitForOne(target, options))));
  return found.filter(({ runs }) => runs === undefined || runs.length > 0);
}

/** Waits for one target. A push holds no lock and its request may be in transit, so a target with `push:` needs two idle reads in a row. */
async function waitForOne(configuration: TargetConfiguration, options: WaitForRuns): Promise<ActiveRuns> {
  const { machine, sleep, wait, report } = options;
  const until = machine.now() + wait;
  const needed = configuration.push === undefined ? 1 : 2;
  let hasReported = false;
  for (let quiet = 0; ; ) {
    const found = await runsAtWork(configuration, options);
    if (found.runs === undefined) return found;
    quiet = found.runs.length === 0 ? quiet + 1 : 0;
    if (quiet === needed || (quiet === 0 && machine.now() >= until)) return found;
    if (quiet === 0 && !hasReported) report(found);
    hasReported ||= quiet === 0;
    await sleep(POLL);
  }
}

/** Access that `runsAtWork` needs. */
export type ActiveRunAccess = Pick<WaitForRuns, "connect" | "machine" | "leases" | "seen">;

/**
 * Reads the locks of the target, or its lease, and then its push jobs. Every run leaves its mark there before it reads the pauses, and
 * reads them again right before it orders a push.
 */
export async function runsAtWork(configuration: TargetConfiguration, look: ActiveRunAccess): Promise<ActiveRuns> {
  const { name: target } = configuration;
  const { connect, machine } = look;
  let reader: ReadTarget | undefined;
  try {
    reader = await connect(configuration);
    const { capabilities } = await reader.open();
    if (!capabilities.locks) return { target, runs: await holdersOf(target, look) };
    const runs = (await locksOn(reader)).flatMap(({ comment, owner, created }) => {
      const mark = parseMark(comment);
      if (mark === undefined || isDead(mark.run, machine)) return [];
      return [`${formatRun(mark.run)} of ${mark.owner} (as ${owner}${created === undefined ? "" : `, since ${created}`})`];
    });
    return { target, runs: [...new Set([...runs, ...(await pushesOn(reader))])] };
  } catch (error) {
    return { target, runs: undefined, unknown: error instanceof Error ? error.message : String(error) };
  } finally {
    await reader?.close().catch(() => undefined);
  }
}

/** Returns push jobs of runs that change firewalls. The run itself may have died. */
async function pushesOn({ managed }: ReadTarget): Promise<string[]> {
  const pushes = (await managed?.pushes()) ?? [];
  return pushes
    .filter(({ asksOnly, description }) => !asksOnly && description.startsWith(PREFIX))
    .map(({ job, by, description }) => `push job ${job} of ${description.slice(PREFIX.length)} (as ${by})`);
}

/** Returns the runs of all owners that hold the lease of the target. Leases of ended runs do not count. */
async function holdersOf(target: string, { leases, seen, machine }: ActiveRunAccess): Promise<string[]> {
  const runs: string[] = [];
  for (const [owner, standing] of await leases.everyones(target)) {
    const { held, run, who } = standing.lease;
    if (!held || (await takeoverReason(standing, { place: leases, seen, target, machine, takeover: false })) !== undefined) continue;
    runs.push(`${run} of ${owner}${who === undefined ? "" : ` (${who})`}`);
  }
  return runs;
}
