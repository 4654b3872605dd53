import pLimit from "p-limit";
import type { TargetConfiguration } from "../desired/configuration.js";
import { formatRun, livenessOf, parseMark } from "./apply/lock-mark.js";
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

/** Asks the target's locks: every run of Plumbline leaves its mark in the one that it takes before it asks for pauses. */
export async function runsAtWork(
  configuration: TargetConfiguration,
  { connect, machine }: Pick<WaitForRuns, "connect" | "machine">,
): Promise<AtWork> {
  const { name: target } = configuration;
  let reader: ReadTarget | undefined;
  try {
    reader = await connect(configuration);
    const { capabilities } = await reader.open();
    if (!capabilities.locks) return { target, runs: undefined, unknown: `a target of kind ${reader.kind} has no lock that tells` };
    const runs = (await locksOn(reader)).flatMap(({ comment, owner, created }) => {
      const mark = parseMark(comment);
      if (mark === undefined || livenessOf(mark.run, machine, Number.POSITIVE_INFINITY) === "dead") return [];
      return [`${formatRun(mark.run)} of ${mark.owner} (as ${owner}${created === undefined ? "" : `, since ${created}`})`];
    });
    return { target, runs: [...new Set(runs)] };
  } catch (error) {
    return { target, runs: undefined, unknown: error instanceof Error ? error.message : String(error) };
  } finally {
    await reader?.close().catch(() => undefined);
  }
}
