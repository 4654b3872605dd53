import type { TreeNode } from "../../src/core/tree/node.js";
import { parseMark } from "../../src/engine/apply/lock-mark.js";
import { OUR_ADMIN } from "./documents.js";
import type { DeviceEvent } from "./firewall.js";
import { SECOND_AGENT } from "./memory-store.js";
import { obstacleOf, problemOf } from "./rulebase-state.js";
import type { Entries } from "./script.js";
import type { Said, World } from "./world.js";

/** A state of a device that violates a rule. */
export interface Violation {
  readonly rule:
    | "foreign change lost"
    | "carried along"
    | "nothing twice"
    | "no lock"
    | "paused"
    | "untrue"
    | "unseen"
    | "twice"
    | "left behind"
    | "beyond the plan"
    | "foreign work"
    | "not asked"
    | "canary"
    | "together"
    | "again"
    | "unsaid"
    | "other device"
    | "former value"
    | "not converging"
    | "fault";
  readonly message: string;
}

/** The author of an entry, as seen by the device. */
interface Provenance {
  readonly creator: "ours" | "theirs";
  /** The author of its value. */
  readonly last: "ours" | "theirs";
  readonly value: string;
  /** A commit of Plumbline created it, so a rollback of the commit deletes it, also if another administrator set the same value. */
  readonly cameWithOurs: boolean;
  /** The value before Plumbline's last change, which a rollback restores. */
  readonly before: Pick<Provenance, "last" | "value"> | undefined;
}

export type Commit = Extract<DeviceEvent, { kind: "commit" }>;

/** Checks the device's own journal from its first to its last entry. */
export function judgeDevice(world: World): {
  readonly violations: readonly Violation[];
  readonly standing: ReadonlyMap<string, Provenance>;
} {
  const standing = new Map<string, Provenance>();
  for (const [name, value] of world.firewall.initial)
    standing.set(name, { creator: "theirs", last: "theirs", value, cameWithOurs: false, before: undefined });
  const everWanted = new Set([...world.wanted.values()].flatMap(Object.entries).flatMap(([name, value]) => [name, `${name}=${value}`]));
  const violations: Violation[] = [];
  const broken: number[] = [];
  const apart = new Apart();
  const writes = new Map<string, number>();
  let hasLate = false;
  /** Time of the last commit of another administrator. */
  let committed = 0;
  for (const event of world.firewall.events) {
    if (event.kind === "write") writes.set(event.admin, event.at);
    if (event.kind === "break-lock" && event.admin !== OUR_ADMIN) broken.push(event.at);
    if (event.kind === "restart") {
      broken.push(event.at);
      apart.leaveAll();
    }
    if (event.kind === "revert") apart.leave(event.source);
    if (event.kind !== "write" && event.kind !== "commit") continue;
    if (event.kind === "commit")
      violations.push(
        ...judgeCommit(event, standing, everWanted, writes, { hasLate, isOvertaken: hasLate || committed > (writes.get(OUR_ADMIN) ?? 0) }),
      );
    if (event.kind === "commit" && event.admin !== OUR_ADMIN) committed = event.at;
    if (event.admin !== OUR_ADMIN) continue;
    hasLate = event.kind === "write" && (hasLate || event.isLate);
    if (event.isLate) continue;
    violations.push(...(world.script.hasLocks ? judgeLock(event, broken) : apart.judge(event)), ...judgePause(event, world));
  }
  return { violations, standing };
}

/**
 * `everWanted`: names, and names with a value. `writes`: time of each administrator's last write. A run cannot prevent changes after its
 * last check. `hasLate`: since the previous commit, a request of Plumbline arrived after its timeout and may have reverted writes.
 * `isOvertaken`: that, or another administrator committed since the write and may have committed the same.
 */
function judgeCommit(
  event: Commit,
  standing: Map<string, Provenance>,
  everWanted: ReadonlySet<string>,
  writes: ReadonlyMap<string, number>,
  { hasLate, isOvertaken }: { readonly hasLate: boolean; readonly isOvertaken: boolean },
): Violation[] {
  const found: Violation[] = [];
  const isOurs = event.admin === OUR_ADMIN;
  const isTakingBack = event.description.startsWith("plumbline rollback");
  if (isOurs) {
    const foreign = event.carried.find(({ administrator: by }) => by !== OUR_ADMIN && (writes.get(by) ?? 0) < event.looked);
    if (foreign !== undefined)
      found.push({
        rule: "carried along",
        message: `our commit took along ${foreign.operation.action} ${foreign.operation.at} of ${foreign.administrator}`,
      });
    // A commit of everything by another administrator may have included Plumbline's change; a request during the job may have reverted it.
    const isDisturbed = isOvertaken || event.carried.some(({ administrator }) => administrator !== OUR_ADMIN);
    const isUnchanged = sameEntries(event.before, event.after) && event.rulesBefore.join() === event.rules.join();
    if (event.carried.length > 0 && !isDisturbed && isUnchanged)
      found.push({ rule: "nothing twice", message: "our commit changed nothing that is running" });
  }
  for (const name of new Set([...event.before.keys(), ...event.after.keys()])) {
    const [was, is] = [event.before.get(name), event.after.get(name)];
    if (was === is) continue;
    const known = standing.get(name);
    const by = isOurs ? inOurs(event, name) : byWhom(event, name);
    const isTakenBack = isTakingBack && is === undefined && known?.cameWithOurs === true;
    // The desired state declared it, but a late request deleted it before.
    const isUndone = hasLate && is === undefined && everWanted.has(name) && isGiven(event, name);
    if (isOurs && by === "ours" && known?.last === "theirs" && !isTakenBack && !isUndone && (is === undefined || !everWanted.has(name)))
      found.push({
        rule: "foreign change lost",
        message: `${name} (${known.value}), which is not ours, ${is === undefined ? "was deleted" : `became ${is}`}`,
      });
    const cameWithOurs = isOurs && was === undefined;
    if (is === undefined) standing.delete(name);
    else if (by === "theirs")
      standing.set(name, { creator: known?.creator ?? "theirs", last: "theirs", value: is, cameWithOurs, before: undefined });
    else {
      // A value that another administrator set on an owned entry and that the desired state also declares belongs to both.
      const isAlsoOurs = known?.creator === "ours" && everWanted.has(`${name}=${is}`);
      const last = isTakingBack && known?.before?.value === is && !isAlsoOurs ? known.before.last : "ours";
      standing.set(name, { creator: known?.creator ?? "ours", last, value: is, cameWithOurs, before: known });
    }
  }
  return found;
}

/** Whether our commit carries an operation that gives an entry a value. */
function isGiven({ carried }: Commit, name: string): boolean {
  const holds = (node: TreeNode): boolean => node.name === name || node.children.some(holds);
  return carried.some(
    ({ administrator, operation }) =>
      administrator === OUR_ADMIN && operation.action === "set" && (operation.at.name === name || holds(operation.element)),
  );
}

/** Owner of a change in Plumbline's commit. A commit of everything includes writes of others during its job. */
function inOurs({ carried }: Commit, name: string): "ours" | "theirs" {
  const isOfOthers = carried.some(({ administrator, operation: { at } }) => administrator !== OUR_ADMIN && at.name === name);
  return isOfOthers || carried.every(({ administrator }) => administrator !== OUR_ADMIN) ? "theirs" : "ours";
}

/** Owner of a change that another administrator committed. A commit of everything includes Plumbline's writes. */
function byWhom({ carried }: Commit, name: string): "ours" | "theirs" {
  const isTheirs = ({ administrator, operation: { at } }: Commit["carried"][number]) => administrator !== OUR_ADMIN && at.name === name;
  return carried.some(isTheirs) || carried.every(({ administrator }) => administrator !== OUR_ADMIN) ? "theirs" : "ours";
}

function sameEntries(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}

/** Milliseconds between a run's last check of its lock and the end of the work that it does under the lock. */
const LOOK = 60_000;

function judgeLock(event: Extract<DeviceEvent, { kind: "write" | "commit" }>, broken: readonly number[]): Violation[] {
  const mark = event.lock === undefined ? undefined : parseMark(event.lock);
  const holder = mark === undefined ? undefined : String(mark.run.pid);
  if (holder !== undefined && event.source.endsWith(`-${holder}`)) return [];
  if (broken.some((at) => at <= event.at && at > event.at - LOOK)) return [];
  return [{ rule: "no lock", message: `${event.source} made a ${event.kind} while the lock was ${holder ?? "nobody"}'s` }];
}

/** Without a lock: between a write of Plumbline and its commit or revert, no other process of Plumbline writes. */
class Apart {
  /** Writes that are not committed yet, by the process that made them, and who came in between. */
  readonly #open = new Map<string, string | undefined>();

  leave(source: string): void {
    this.#open.delete(source);
  }

  /** A restart takes the candidate along. */
  leaveAll(): void {
    this.#open.clear();
  }

  judge({ kind, source }: Extract<DeviceEvent, { kind: "write" | "commit" }>): Violation[] {
    const between = this.#open.get(source);
    for (const other of this.#open.keys()) if (other !== source) this.#open.set(other, source);
    if (kind === "write") this.#open.set(source, between);
    else this.#open.delete(source);
    return between === undefined ? [] : [{ rule: "no lock", message: `${source} and ${between} wrote at the same time` }];
  }
}

function judgePause(event: Extract<DeviceEvent, { kind: "write" | "commit" }>, { pauses }: World): Violation[] {
  if (event.kind === "commit" && event.description.startsWith("plumbline rollback")) return [];
  const began = event.kind === "commit" ? event.began : event.at;
  if (!pauses.some(({ from, until }) => began > from && began < until)) return [];
  return [{ rule: "paused", message: `${event.source} made a ${event.kind} although the target was said to be paused` }];
}

/** A command or a pass that reported that all is well. */
interface Told {
  /** It also writes. */
  readonly isRun: boolean;
  readonly process: string;
  readonly began: number;
  readonly ended: number;
  readonly commit: string | undefined;
  readonly warnings: readonly string[];
}

/** Checks every command and pass that reported that all is well. */
export function judgeWords(world: World): Violation[] {
  return goodWords(world).flatMap((told) => [...judgeEntries(world, told), ...judgeLeft(world, told)]);
}

/** Returns the commands and passes that reported that all is well while the target led to the first device. */
export function goodWords(world: World): Told[] {
  return goodWordsOf(world).filter(({ began, ended }) => world.moves.every(({ from, until }) => ended < from || began > until));
}

/** Returns the commands and passes that reported that all is well, on any device. */
export function goodWordsOf(world: World): Told[] {
  const good = world.ended.filter(({ what, code }) => COMPARES.has(what) && code === 0);
  const byHand: Told[] = good.map((ended) => ({ ...ended, isRun: ended.what === "reconcile" }));
  const byAgents = [...world.said.map((said) => ({ ...said, process: "agent" })), ...world.saidBySecond];
  const byAgent: Told[] = byAgents.flatMap(({ process, ...said }) => {
    if (said.what !== "pass-ended" || !isGood(said)) return [];
    const { began = 0, at, warnings = [] } = said;
    // A heal while a commit is pending does not apply all of the commit.
    const commit = said.result === "applied" ? undefined : said.commit;
    return [{ process, isRun: true, began, ended: at, commit, warnings }];
  });
  return [...byHand, ...byAgent];
}

/** Commands whose exit code 0 means that the target is in sync. */
const COMPARES: ReadonlySet<string> = new Set(["reconcile", "plan", "drift"]);

/** Whether no other commit and no restart of the device happened during a command or pass. */
export function isUndisturbed(world: World, { process, began, ended }: Told): boolean {
  return !changedBetween(world, process, began, ended) && !sawRestart(world, process, began, ended);
}

function judgeEntries(world: World, told: Told): Violation[] {
  const { process, ended, commit } = told;
  const wanted = world.wanted.get(commit ?? "");
  if (wanted === undefined || !isUndisturbed(world, told)) return [];
  const running = entriesAt(world, ended);
  const wrong = Object.entries(wanted).filter(([name, value]) => running.get(name) !== value);
  if (wrong.length === 0) return [];
  const names = wrong.map(([name]) => name).join(", ");
  return [{ rule: "untrue", message: `${process} said that all is well, and ${names} was not` }];
}

/** Milliseconds between a run's last check of uncommitted changes and its end, if it checks at the end: the duration of the reply. */
const LAST_LOOK = 5_000;

/**
 * The run's writes are committed or reverted, or it reports that they are not. A late request after its last check counts as after its end,
 * because no process sees it.
 */
function judgeLeft({ firewall }: World, { process, began, ended, warnings }: Told): Violation[] {
  if (warnings.some((warning) => warning.includes("uncommitted changes"))) return [];
  const isOf = (source: string) => (process === "agent" || process === SECOND_AGENT ? source.startsWith(process) : source === process);
  const looked = firewall.looks.findLast(({ at, source }) => at <= ended && isOf(source))?.at ?? 0;
  let left = false;
  for (const event of firewall.events) {
    if (event.at > ended) break;
    if (event.kind === "restart") left = false;
    // Another administrator's commit of everything includes Plumbline's writes.
    else if (event.kind === "commit" && event.carried.some(({ administrator }) => administrator === OUR_ADMIN)) left = false;
    else if (event.admin !== OUR_ADMIN) continue;
    else if (event.kind === "write" && event.isLate && event.at > looked && ended - looked < LAST_LOOK) continue;
    // Another run of Plumbline may be working concurrently.
    else if (event.kind === "write") left = event.at >= began && isOf(event.source);
    else if (event.kind === "commit" || event.kind === "revert") left = false;
  }
  return left ? [{ rule: "left behind", message: `${process} said that all is well and left what it wrote uncommitted` }] : [];
}

function isGood({ result }: Said): boolean {
  return result === "in-sync" || result === "applied";
}

/** Another administrator or another run of Plumbline committed in the meantime, or more than once. */
function changedBetween({ firewall }: World, process: string, from: number, to: number): boolean {
  const commits = firewall.events.filter((event): event is Commit => event.kind === "commit" && event.at >= from && event.at <= to);
  return commits.length > 1 || commits.some(({ admin, source }) => admin !== OUR_ADMIN || !source.startsWith(process));
}

/**
 * A reader during a restart: its three replies may come from before, from a candidate that is gone, and from after. Here a restart takes no
 * time; a real device is unreachable for minutes.
 */
function sawRestart({ firewall: { events } }: World, process: string, from: number, to: number): boolean {
  const meanwhile = events.filter(({ at }) => at >= from && at <= to);
  const wrote = meanwhile.some((event) => event.kind !== "restart" && event.source.startsWith(process));
  return !wrote && meanwhile.some(({ kind }) => kind === "restart");
}

function entriesAt({ firewall }: World, moment: number): ReadonlyMap<string, string> {
  const last = firewall.events.findLast((event): event is Commit => event.kind === "commit" && event.at <= moment);
  return last?.after ?? firewall.initial;
}

/** Checks that the device equals the branch in the end, or that the last message explains why not. */
export function judgeEnd(world: World, standing: ReadonlyMap<string, Provenance>, reason: string | undefined): Violation[] {
  const wanted: Entries = world.wanted.get(world.head) ?? {};
  const obstacle = obstacleOf(world);
  if (obstacle !== undefined && reason !== undefined) return [];
  const running = world.firewall.entries;
  const missing = Object.entries(wanted).filter(([name, value]) => running.get(name) !== value);
  const unknown = unknownToLedger(world);
  const left = [...standing].filter(
    ([name, { creator, last }]) => wanted[name] === undefined && creator === "ours" && last === "ours" && !unknown.has(name),
  );
  const why = problemOf(world, wanted, world.firewall.rules);
  if (why !== undefined && reason === undefined) return [{ rule: "untrue", message: `the last run reported that all is well, and ${why}` }];
  if (missing.length === 0 && left.length === 0) return [];
  if (reason !== undefined && EXPLAINS.some((word) => reason.includes(word))) return [];
  const what = [...missing.map(([name]) => `${name} is not as wanted`), ...left.map(([name]) => `${name} is left`)].join(", ");
  return [{ rule: "not converging", message: `${what}; the last word was: ${reason ?? "all is well"}` }];
}

/** Entries that our commits wrote after the backup from which the ledger was restored. That ledger does not know them. */
function unknownToLedger({ firewall, restored }: World): ReadonlySet<string> {
  const commits = firewall.events.filter((event): event is Commit => event.kind === "commit" && event.admin === OUR_ADMIN);
  const lost = commits.filter(({ at }) => restored.some(({ from, until }) => at >= from && at <= until));
  return new Set(lost.flatMap(({ before, after }) => [...after.keys()].filter((name) => before.get(name) !== after.get(name))));
}

/**
 * Guards that block a plan until a person has reviewed it. An agent takes over no work that a person may have started under its account.
 */
export const EXPLAINS = ["not-as-left", "refused-commit", "own-pending"];
