import pLimit from "p-limit";
import type { TargetConfiguration } from "../desired/configuration.js";
import { formatRun, isDead, parseMark } from "./apply/lock-mark.js";
import type { LeasePlace } from "./lease/lease-place.js";
import type { SeenUnchanged } from "./lease/seen-unchanged.js";
import { whyOver } from "./lease/why-over.js";
import type { Readers } from "./pass/options.js";
import type { Machine } from "./pass/process.js";
import type { ReadTarget } from "./target.js";
import { locksOn } from "./under-way.js";

/** What is known of runs that had begun to write to a target before it was paused. */
export interface AtWork {
  readonly target: string;
  /** Runs of any owner that hold a lock, each in words; undefined where nobody can tell. */
  readonly runs: readonly string[] | undefined;
  /** Why nobody can tell. */
  readonly unknown?: string | undefined;
}

export interface WaitForRuns {
  readonly connect: Readers["reader"];
  readonly machine: Machine;
  /** Where targets without locks have their leases. */
  readonly leases: LeasePlace;
  /** What was seen of leases at the looks before. */
  readonly seen: SeenUnchanged;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds to wait for runs to end. */
  readonly wait: number;
  /** Told of each target on which a run is waited for. */
  readonly tell: (waitedFor: AtWork) => void;
}

const POLL = 1000;
const CONCURRENCY = 8;

/** Waits for runs that write to the targets; gives what is known of those that still do, or may, when the time is over. */
export async function waitForRuns(targets: readonly TargetConfiguration[], options: WaitForRuns): Promise<readonly AtWork[]> {
  const limit = pLimit(CONCURRENCY);
  const found = await Promise.all(targets.map((target) => limit(() => waitForOne(target, options))));
  return found.filter(({ runs }) => runs === undefined || runs.length > 0);
}

async function waitForOne(configuration: TargetConfiguration, options: WaitForRuns): Promise<AtWork> {
  const { machine, sleep, wait, tell } = options;
  const until = machine.now() + wait;
  let told = false;
  for (;;) {
    const found = await runsAtWork(configuration, options);
    if (found.runs?.length === 0 || found.runs === undefined || machine.now() >= until) return found;
    if (!told) tell(found);
    told = true;
    await sleep(POLL);
  }
}

/** How it is looked who is at work. */
export type LookForRuns = Pick<WaitForRuns, "connect" | "machine" | "leases" | "seen">;

/** Asks the target's locks, or its lease: every run of Plumbline leaves its mark there before it asks for pauses. */
export async function runsAtWork(configuration: TargetConfiguration, look: LookForRuns): Promise<AtWork> {
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
    return { target, runs: [...new Set(runs)] };
  } catch (error) {
    return { target, runs: undefined, unknown: error instanceof Error ? error.message : String(error) };
  } finally {
    await reader?.close().catch(() => undefined);
  }
}

/** Runs of every owner that hold the lease of the target, or may: one that is over may be taken by anybody. */
async function holdersOf(target: string, { leases, seen, machine }: LookForRuns): Promise<string[]> {
  const runs: string[] = [];
  for (const [owner, standing] of await leases.everyones(target)) {
    const { held, run, who } = standing.lease;
    if (!held || (await whyOver(standing, { place: leases, seen, target, machine, takeover: false })) !== undefined) continue;
    runs.push(`${run} of ${owner}${who === undefined ? "" : ` (${who})`}`);
  }
  return runs;
}
