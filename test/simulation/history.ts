import { createHash } from "node:crypto";
import { startAgent } from "./agent.js";
import { judgeDevice, judgeEnd, judgeWords, type Violation } from "./checker.js";
import type { Cloud, CloudEvent } from "./cloud.js";
import { judgeCloud } from "./cloud-checker.js";
import { startResume, startRun } from "./commands.js";
import { judgeOtherDevice } from "./device-checker.js";
import { OUR_ADMIN } from "./documents.js";
import type { DeviceEvent } from "./firewall.js";
import { judgeCommits } from "./judge-commits.js";
import type { ManagerEvent } from "./manager.js";
import { judgeManager } from "./manager-checker.js";
import type { MemoryStore } from "./memory-store.js";
import { judgeOlderCommits } from "./older-commit-checker.js";
import { operationsOf } from "./rules.js";
import { judgeRules } from "./rules-checker.js";
import { setRunning } from "./running.js";
import { ACTIVE, type Script } from "./script.js";
import { ALICE, take } from "./steps.js";
import { type Said, World } from "./world.js";

export interface History {
  readonly violations: readonly Violation[];
  /** The events, one per line. */
  readonly journal: readonly string[];
  /** SHA-256 of the journal: the same script gives the same. */
  readonly digest: string;
  /** How many things happened. */
  readonly happened: number;
  /** Number of Plumbline's commits on the device. */
  readonly commits: number;
  /** Number of Plumbline's passes and commands that ended. */
  readonly passes: number;
}

/** Milliseconds: the first run comes before anybody does anything. */
const BEFORE = 20_000;
/** Longer than the lock of a killed run remains. */
const LONGEST_CALM = 900_000;
const LONGEST_RUN = 400_000;
const ROUNDS = 3;

/** Lives one history from beginning to end, and judges it. */
export async function live(script: Script, memory: MemoryStore): Promise<History> {
  const world = new World(script, memory);
  try {
    const { scheduler } = world;
    if (script.hasAgent) startAgent(world);
    else startRun(world, "reconcile", "hand", { isPulled: true });
    for (const step of script.steps) scheduler.at(BEFORE + step.at, () => take(world, step));
    await scheduler.run(BEFORE + ACTIVE);
    let reason = await calm(world);
    const unseen = reason === undefined ? await changeWhileHeld(world) : [];
    if (reason === undefined && script.heldBack !== undefined) reason = await calmOfAgent(world);
    if (script.manager !== undefined) return historyOf(world, [...judgeManager(world, reason), ...faultsOf(world)]);
    if (script.isCloud) return historyOf(world, [...judgeCloud(world, reason), ...faultsOf(world)]);
    const { violations, standing } = judgeDevice(world);
    const broken = [
      ...violations,
      ...judgeCommits(world),
      ...unseen,
      ...judgeWords(world),
      ...judgeRules(world),
      ...judgeOtherDevice(world),
      ...judgeOlderCommits(world),
      ...judgeEnd(world, standing, reason),
      ...faultsOf(world),
    ];
    return historyOf(world, broken);
  } finally {
    world.killAgent();
    world.killSecondAgent();
    world.killRuns();
    setRunning(undefined);
  }
}

/** The others stop, no more faults happen, and running processes continue. Returns the last reported reason why the device differs. */
async function calm(world: World): Promise<string | undefined> {
  const { scheduler, firewall, wire, script } = world;
  world.note("calm");
  world.killSecondAgent();
  wire.clear();
  firewall.failNextCommit = false;
  for (const calls of [firewall.atNextCommit, firewall.afterNextCommit, firewall.beforeNextLock, firewall.afterNextWrite]) calls.clear();
  for (const away of world.gitAway) away.until = Math.min(away.until, scheduler.now);
  for (const move of world.moves) move.until = Math.min(move.until, scheduler.now);
  world.probeAwayUntil = scheduler.now;
  if (world.cloud !== undefined) {
    world.cloud.leftOut.splice(0);
    world.cloud.afterNextServer = undefined;
  }
  await scheduler.run(scheduler.now + 60_000);
  revertOrCommit(world);
  if (script.rules?.isRepaired === true) repair(world);
  world.manager?.calm();
  startResume(world, "hand");
  await untilIdle(world);
  if (!script.hasAgent) return await calmByHand(world);
  // A push of the agent that runs during the colleague's push can undo it at a firewall. She pushes again.
  for (let round = 1; ; round++) {
    await pushByHand(world);
    const reason = await calmOfAgent(world);
    if (reason === undefined || world.manager === undefined || round === 2) return reason;
  }
}

/** Another administrator reverts her changes, or commits them if changes of others depend on them. */
function revertOrCommit({ firewall }: World): void {
  try {
    firewall.revert(ALICE);
  } catch {
    firewall.commitNow(ALICE, "by hand");
  }
}

/** Another administrator restores the rulebase and the second virtual system. */
function repair({ firewall, script: { rules } }: World): void {
  const operations = rules === undefined ? [] : operationsOf("restore", firewall.configurations.candidate, rules);
  if (operations.length > 0) firewall.force(ALICE, operations);
}

/** A commit of a colleague that was not pushed blocks a run. She pushes it, which also corrects a firewall with another configuration. */
async function pushByHand({ manager, scheduler }: World): Promise<void> {
  manager?.push();
  if (manager !== undefined) await scheduler.run(scheduler.now + 60_000);
}

async function calmOfAgent(world: World): Promise<string | undefined> {
  const { scheduler } = world;
  startAgent(world);
  const began = scheduler.now;
  let quiet = began;
  // A check of a manager that finds no work has no start event.
  const beganOf = ({ at, began = 0, result }: Said) => (world.manager !== undefined && result === "skipped" ? at - 10_000 : began);
  const isDone = () => world.said.some((said) => said.what === "pass-ended" && beganOf(said) > quiet && isWell(said, world));
  while (!isDone() && scheduler.now < began + LONGEST_CALM) {
    const isQuiet = world.wire.late === 0;
    await scheduler.run(scheduler.now + 10_000);
    if (!isQuiet) quiet = scheduler.now;
  }
  return lastWordOfAgent(world);
}

/** Milliseconds: some looks of an agent whose commit is held. */
const LOOKS = 400_000;

/**
 * A guard blocks a commit, and another administrator changes a value that the commit does not change: drift checks continue. Then the guard
 * is overridden.
 */
async function changeWhileHeld(world: World): Promise<Violation[]> {
  const { scheduler, firewall, script, head } = world;
  const [kept, ...others] = Object.entries(world.wanted.get(head) ?? {});
  if (script.heldBack === undefined || kept === undefined || others.length === 0) return [];
  const [name, value] = kept;
  const { after, value: byHand } = script.heldBack;
  const pushed = scheduler.now;
  world.push({ [name]: value }, false, true);
  const isHeld = () => world.said.some(({ at, what }) => at > pushed && what === "plan-refused");
  while (!isHeld() && scheduler.now < pushed + LOOKS) await scheduler.run(scheduler.now + 10_000);
  await scheduler.run(scheduler.now + after);
  const changed = scheduler.now;
  // A commit that was rolled back in the meantime left its value, so the blocked commit changes it.
  const isPossible = isHeld() && byHand !== value && firewall.locks.length === 0 && firewall.entries.get(name) === value;
  if (isPossible) take(world, { at: changed, do: "meddle", name, value: byHand, commitAfter: 0 });
  await scheduler.run(changed + LOOKS);
  const isSeen = world.told.some((told) => told.at > changed && told.name === name) || firewall.entries.get(name) === value;
  world.push({ [name]: value }, false);
  if (!isPossible || isSeen) return [];
  return [{ rule: "unseen", message: `${name}, which while a commit was held back, was told of by nobody in ${LOOKS} ms` }];
}

/** A person who gets the report of a remaining lock checks it and takes it over. */
async function calmByHand(world: World): Promise<string | undefined> {
  for (let round = 1; round <= ROUNDS; round++) {
    while (world.wire.late > 0) await world.scheduler.run(world.scheduler.now + 10_000);
    startRun(world, "reconcile", "hand", { isPulled: true, takeover: true });
    await untilIdle(world);
    if (world.ended.at(-1)?.code === 0) return undefined;
    if (round < ROUNDS) await pushByHand(world);
  }
  const { error = "", message = "" } = world.ended.at(-1) ?? {};
  return `${error} ${message}`;
}

async function untilIdle(world: World): Promise<void> {
  const { scheduler } = world;
  for (const until = scheduler.now + LONGEST_RUN; world.isRunning("") && scheduler.now < until; )
    await scheduler.run(scheduler.now + 1_000);
}

function isWell({ result, commit }: Said, { head, said }: World): boolean {
  return (result === "in-sync" || (result === "skipped" && !isRetrying(said))) && commit === head;
}

/** A skipped pass only reports that nothing changed since the last one. The agent may still wait before it repeats a failed commit. */
function isRetrying(said: readonly Said[]): boolean {
  const last = said.findLast(({ what }) => what === "held" || what === "released");
  return last?.what === "held" && last.result === "retrying";
}

/** Undefined if it reported success. */
function lastWordOfAgent({ said }: World): string | undefined {
  const last = said.findLast(({ what }) => what === "pass-ended");
  if (last?.result === "in-sync" || (last?.result === "skipped" && !isRetrying(said))) return undefined;
  // A drift check only reports that a commit waits, or the changes of others. A run that tried to write reports why it failed.
  const tried = said.findLast(({ what, result }) => what === "pass-ended" && result !== "pending" && result !== "drifted");
  const held = said.findLast(({ what, at }) => what !== "pass-ended" && (what !== "source-failed" || at > (tried?.at ?? 0)));
  return [last, tried, held].map((each) => `${each?.what ?? ""} ${each?.result ?? "nothing"} ${each?.message ?? ""}`).join("; ");
}

function faultsOf({ faults }: World): Violation[] {
  return faults.map((error) => ({ rule: "fault", message: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
}

function historyOf(world: World, violations: readonly Violation[]): History {
  const { firewall, scheduler, ended, said, cloud, manager } = world;
  const { events, entries } = firewall;
  const journal = inOrder([
    ...world.journal,
    ...events.map((event) => asLine(event, "firewall")),
    ...(world.otherDevice?.events ?? []).map((event) => asLine(event, "other firewall")),
    ...(cloud?.events ?? []).map(asLineOfCloud),
    ...(manager?.events ?? []).flatMap(asLineOfManager),
  ]);
  const standing = [...(cloud?.standing() ?? [])].map(([id, { list, name, value }]) => `${list} ${name} ${value} ${id.slice(0, 8)}`);
  journal.push(`running ${JSON.stringify(cloud === undefined ? [...entries] : standing)}`);
  return {
    violations,
    journal,
    digest: createHash("sha256").update(journal.join("\n")).digest("hex"),
    happened: scheduler.happened,
    commits:
      events.filter((event) => event.kind === "commit" && event.admin === OUR_ADMIN).length +
      writesOf(cloud) +
      (manager?.events.filter((event) => event.kind === "received").length ?? 0),
    passes: ended.length + said.filter(({ what }) => what === "pass-ended").length,
  };
}

/** Requests that changed a cloud, which has no commits. */
function writesOf(cloud: Cloud | undefined): number {
  return cloud?.events.filter(({ isOurs, made, changed, gone }) => isOurs && made.length + changed.length + gone.length > 0).length ?? 0;
}

function asLineOfCloud({ at, source, request, isLate, isKnown, made, gone, before, after }: CloudEvent): string {
  const told = [
    ...made.map((id) => `made ${after.get(id)?.name} ${id.slice(0, 8)}`),
    ...gone.map((id) => `deleted ${before.get(id)?.name} ${id.slice(0, 8)}`),
  ];
  return `${at.toFixed(3)} cloud: ${request} by ${source}${isLate ? ", late" : ""}${isKnown ? "" : ", without a reply"}: ${told.join(", ")}`;
}

function asLineOfManager(event: ManagerEvent): string[] {
  const at = `${event.at.toFixed(3)} manager:`;
  switch (event.kind) {
    case "order":
      return [
        `${at} ${event.job} ${event.validateOnly ? "asks" : "pushes to"} ${event.serials.join()} by ${event.source} "${event.description}"`,
      ];
    case "received":
      return [`${at} ${event.job} at ${event.letter} ${event.ok ? "well" : "failed"} ${event.gained.join()}`];
    case "commit":
      return [`${at} commit by ${event.admin} of ${event.carried.join()} ${event.marks.join()}`];
    case "versions":
      return [`${at} ${event.source} asks what is newest`];
    default: {
      const rows = event.standing.map(
        ({ letter, policy, template }) => `${letter} ${policy ? "" : "lacks policy"} ${template ? "" : "lacks template"}`,
      );
      return [`${at} ${event.source} looks: ${rows.join("; ")}`];
    }
  }
}

function inOrder(lines: readonly string[]): string[] {
  return [...lines].sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b));
}

function asLine(event: DeviceEvent, device: string): string {
  const start = `${event.at.toFixed(3)} ${device}: ${event.kind}`;
  if (event.kind === "restart") return start;
  const who = `${start} by ${event.admin} (${event.source})${event.isLate ? ", late" : ""}`;
  if (event.kind !== "commit") return who;
  const what = event.carried.map(
    ({ administrator, operation: { action, at } }) => `${administrator} ${action} ${String(at).split("/").at(-1)}`,
  );
  return `${who}: ${what.join(", ")} "${event.description.slice(0, 80)}"`;
}
