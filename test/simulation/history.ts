import { createHash } from "node:crypto";
import { judgeDevice, judgeEnd, judgeWords, type Violation } from "./checker.js";
import type { MemoryStore } from "./memory-store.js";
import { setRunning } from "./running.js";
import { ACTIVE, type Script, type Step } from "./script.js";
import { type Said, World } from "./world.js";

export interface History {
  readonly script: Script;
  readonly violations: readonly Violation[];
  /** Line by line what happened, with the device's own journal at the end. */
  readonly journal: readonly string[];
  /** SHA-256 of the journal: the same seed gives the same. */
  readonly digest: string;
  /** How many things happened. */
  readonly happened: number;
  readonly commits: number;
  readonly runs: number;
}

/** Milliseconds. */
const BEFORE = 20_000;
/** Longer than the lock of a killed run stands. */
const LONGEST_CALM = 900_000;
const LONGEST_RUN = 400_000;
const ROUNDS = 3;

/** Lives one history from beginning to end, and judges it. */
export async function live(script: Script, memory: MemoryStore): Promise<History> {
  const world = new World(script, memory);
  try {
    const { scheduler } = world;
    if (script.hasAgent) world.startAgent();
    else world.start("reconcile", "hand", true);
    for (const step of script.steps) {
      scheduler.at(BEFORE + step.at, () => {
        world.note(`step ${describe(step)}`);
        take(step, world);
      });
    }
    await scheduler.run(BEFORE + ACTIVE);
    const reason = await calm(world);
    const { violations, standing } = judgeDevice(world);
    const all = [...violations, ...judgeWords(world), ...judgeEnd(world, standing, reason), ...faultsOf(world)];
    return historyOf(world, all);
  } finally {
    world.killAgent();
    world.killRuns();
    setRunning(undefined);
  }
}

function describe({ at: _, ...step }: Step): string {
  return JSON.stringify(step);
}

function take(step: Step, world: World): void {
  const { firewall, scheduler } = world;
  switch (step.do) {
    case "push":
      return world.push(step.entries, step.isProbed);
    case "take-back":
      return world.push(world.wantedBefore, false);
    case "reconcile":
    case "plan":
    case "drift":
      return world.start(step.do, step.on, step.pull);
    case "pause":
    case "resume":
      return world.pause(step.do, step.on);
    case "meddle":
      return meddle(step, world);
    case "restart-device":
      return firewall.restart(step.away);
    case "break-lock":
      if (firewall.lockMark !== undefined) firewall.breakLock({ admin: "root", source: "root", isLate: false }, firewall.lockMark);
      return;
    case "fail-commit":
      firewall.failNextCommit = true;
      return;
    case "lose-state":
      return world.loseState();
    case "kill":
      return step.what === "agent" ? world.killAgent() : world.killRuns();
    case "start-agent":
      return world.startAgent();
    case "wire":
      return world.wire.arm(step.request, step.fault);
    case "git-away":
      world.gitAwayUntil = scheduler.now + step.for;
      return;
    case "probe-away":
      world.probeAwayUntil = scheduler.now + step.for;
      return;
  }
}

/** What somebody else tries and the device refuses was not done. */
function meddle({ name, value, commitAfter }: Extract<Step, { do: "meddle" }>, world: World): void {
  const { firewall, scheduler } = world;
  const alice = { admin: "alice", source: "alice", isLate: false };
  if (firewall.isDown) return;
  try {
    world.meddle(name, value);
  } catch (error) {
    world.note(`alice: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  if (commitAfter === undefined) return;
  scheduler.in(commitAfter, () => {
    if (!firewall.isDown) firewall.commit(alice, "by hand");
  });
}

/** Others are done, nothing fails any more, and what ran goes on: gives the last word of why the device is not as wanted. */
async function calm(world: World): Promise<string | undefined> {
  const { scheduler, firewall, wire, script } = world;
  world.note("calm");
  wire.clear();
  firewall.failNextCommit = false;
  world.gitAwayUntil = scheduler.now;
  world.probeAwayUntil = scheduler.now;
  await scheduler.run(scheduler.now + 60_000);
  firewall.revert({ admin: "alice", source: "alice", isLate: false });
  world.pause("resume", "hand");
  await untilIdle(world);
  if (script.hasAgent) {
    world.startAgent();
    const began = scheduler.now;
    const isDone = () => world.said.some((said) => said.what === "pass-ended" && (said.began ?? 0) > began && isWell(said, world));
    while (!isDone() && scheduler.now < began + LONGEST_CALM) await scheduler.run(scheduler.now + 10_000);
    return lastWordOfAgent(world);
  }
  for (let round = 1; round <= ROUNDS; round++) {
    world.start("reconcile", "hand", true, { takeover: true });
    await untilIdle(world);
    if (world.ended.at(-1)?.code === 0) return undefined;
  }
  const last = world.ended.at(-1);
  return `${last?.error ?? ""} ${last?.message ?? ""}`;
}

async function untilIdle(world: World): Promise<void> {
  const { scheduler } = world;
  for (const until = scheduler.now + LONGEST_RUN; world.isBusy && scheduler.now < until; ) await scheduler.run(scheduler.now + 1_000);
}

function isWell({ result, commit }: Said, { head }: World): boolean {
  return (result === "in-sync" || result === "applied" || result === "skipped") && commit === head;
}

/** Undefined where it said that all is well. */
function lastWordOfAgent({ said }: World): string | undefined {
  const last = said.findLast(({ what }) => what === "pass-ended");
  if (last?.result === "in-sync" || last?.result === "applied" || last?.result === "skipped") return undefined;
  const held = said.findLast(({ what }) => what === "held" || what === "released" || what === "apply-failed");
  return `${last?.result ?? "nothing"} ${last?.message ?? ""}; ${held?.what ?? ""} ${held?.result ?? ""} ${held?.message ?? ""}`;
}

function faultsOf({ faults }: World): Violation[] {
  return faults.map((error) => ({ rule: "fault", message: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
}

function historyOf(world: World, violations: readonly Violation[]): History {
  const { script, firewall, scheduler, ended, said } = world;
  const events = firewall.events.map(({ at, kind, ...rest }) => {
    const { admin = "", source = "", description = "", carried = [] } = rest as { admin?: string; source?: string; description?: string; carried?: readonly { operation: { action: string; at: unknown } }[] };
    const what = carried.map(({ operation }) => `${operation.action} ${String(operation.at).split("/").at(-1)}`).join(", ");
    return `${at.toFixed(3)} device: ${kind} ${admin} ${source} ${description} ${what}`;
  });
  const journal = [...world.journal, ...events, `running ${JSON.stringify([...firewall.addresses])}`];
  const digest = createHash("sha256").update(journal.join("\n")).digest("hex");
  const commits = events.filter((line) => line.includes("device: commit netops")).length;
  return { script, violations, journal, digest, happened: scheduler.happened, commits, runs: ended.length + said.length };
}
