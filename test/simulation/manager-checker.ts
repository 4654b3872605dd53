import { parseRun } from "../../src/engine/apply/lock-mark.js";
import { SERIALS } from "../lab/panos/manager/managed-lab.js";
import { EXPLAINS, type Violation } from "./checker.js";
import { OUR_ADMIN } from "./documents.js";
import type { ManagerEvent } from "./manager.js";
import type { Letter } from "./manager-script.js";
import { letterOf, type Standing, standingOf } from "./manager-standing.js";
import type { Ended, World } from "./world.js";

type Ordered = Extract<ManagerEvent, { kind: "order" }>;
type Received = Extract<ManagerEvent, { kind: "received" }>;

const REACH: Readonly<Record<string, readonly Letter[]>> = { g: ["a", "b"], t: ["a", "b"], p: ["c"], s: ["a", "b", "c"] };

/**
 * Checks the events of the manager and its firewalls from the first job to the last, and the reports of runs. `reason`: why it ended
 * without success.
 */
export function judgeManager(world: World, reason: string | undefined): Violation[] {
  const { manager } = world;
  if (manager === undefined) return [];
  const { events } = manager;
  const orders = events.filter((event): event is Ordered => event.kind === "order");
  const ours = orders.filter(({ admin }) => admin === OUR_ADMIN);
  return [
    ...ours.flatMap((order) => judgeReach(world, order)),
    ...judgeRuns(ours),
    ...ours.flatMap((order) => judgePause(world, order, events)),
    ...ours.filter(({ validateOnly }) => !validateOnly).flatMap((order) => judgeOrder(world, order, events)),
    ...events.flatMap((event) => (event.kind === "received" ? judgeReceived(world, event, orders, events) : [])),
    ...events.flatMap((event) => (event.kind === "commit" ? judgeCommit(event) : [])),
    ...world.ended.flatMap((ended) => judgeEnd(world, ended)),
    ...judgeAgent(world),
    ...judgeLast(world, standingOf(manager.manager), reason),
  ];
}

/** Letters of the firewalls that any commit so far declares. */
function spokenOf({ wanted }: World): ReadonlySet<string> {
  return new Set([...wanted.values()].flatMap(Object.keys).map(([letter]) => letter ?? ""));
}

/** No firewall is pushed to that no commit declares, and no unrequested change is included. */
function judgeReach(world: World, { job, serials, templates, mergesCandidate }: Ordered): Violation[] {
  const letters = spokenOf(world);
  const reached = new Set([...letters].flatMap((letter) => REACH[letter] ?? []));
  const beyond = serials.map(letterOf).filter((each) => !reached.has(each));
  const found: string[] = [];
  if (beyond.length > 0) found.push(`order ${job} names ${beyond.join()}, which no commit reaches`);
  if (templates.length > 0 && !letters.has("t")) found.push(`order ${job} takes templates along, of which no commit speaks`);
  if (mergesCandidate) found.push(`order ${job} takes along what is uncommitted at firewalls`);
  return found.map((message) => ({ rule: "beyond the plan", message }));
}

/** By run: all firewalls are validated before the first push, and members of a pair that must be separate share no wave. */
function judgeRuns(ours: readonly Ordered[]): Violation[] {
  const found: Violation[] = [];
  const asked = new Map<string, Set<string>>();
  const hasPushed = new Set<string>();
  for (const { source, description, validateOnly, serials, job } of ours) {
    const run = runOf(description);
    const pid = parseRun(run)?.pid;
    if (!source.endsWith(`-${pid}`)) found.push({ rule: "not asked", message: `order ${job} of ${source} bears the name of run ${run}` });
    const known = asked.get(run) ?? new Set<string>();
    asked.set(run, known);
    if (validateOnly) {
      for (const serial of serials) known.add(serial);
      if (hasPushed.has(run)) hasPushed.delete(run);
      continue;
    }
    const unasked = serials.filter((serial) => !known.has(serial));
    if (unasked.length > 0)
      found.push({ rule: "not asked", message: `order ${job} pushes to ${unasked.map(letterOf).join()} before it was asked` });
    hasPushed.add(run);
  }
  return found;
}

/** After `plumbline pause` reported the pause, no run starts a job that changes firewalls, and no firewall commits one that runs. */
function judgePause({ pauses }: World, { at, job, source, validateOnly }: Ordered, events: readonly ManagerEvent[]): Violation[] {
  if (validateOnly || source.startsWith("late")) return [];
  const commits = events.filter((event): event is Received => event.kind === "received" && event.job === job);
  return pauses.flatMap(({ from, until }): Violation[] => {
    if (at > from && at < until) return [paused(`${source} ordered push job ${job}`)];
    const committed = at > from ? undefined : commits.find((event) => event.at > from && event.at < until);
    return committed === undefined ? [] : [paused(`${committed.letter} committed push job ${job} of ${source}`)];
  });
}

function paused(what: string): Violation {
  return { rule: "paused", message: `${what} although the target was said to be paused` };
}

function runOf(description: string): string {
  return /^plumbline push (?:validate )?([^. ]+)\.\d/.exec(description)?.[1] ?? "";
}

/** The knowledge of a run at its job request: its own last check. */
function lookOf({ source, at }: Ordered, events: readonly ManagerEvent[]): readonly Standing[] | undefined {
  const look = events.findLast((event) => event.kind === "looked" && event.source === source && event.at <= at);
  return look?.kind === "looked" ? look.standing : undefined;
}

function judgeOrder(world: World, order: Ordered, events: readonly ManagerEvent[]): Violation[] {
  const { script } = world;
  const settings = script.manager;
  const looked = lookOf(order, events);
  if (settings === undefined || looked === undefined) return [];
  const found: Violation[] = [];
  const named = order.serials.map(letterOf);
  const isPair = settings.isApart || settings.active !== undefined;
  if (isPair && named.includes("a") && named.includes("b"))
    found.push({ rule: "together", message: `order ${order.job} has both halves of a pair` });
  if (settings.batch === 1 && named.length > 1)
    found.push({ rule: "together", message: `order ${order.job} has ${named.join()}, one at a time was declared` });
  const takesPolicy = (letter: Letter) => order.templates.length === 0 || named.includes(letter);
  for (const letter of named) {
    const then = looked.find((each) => each.letter === letter);
    const lacks =
      then === undefined || (takesPolicy(letter) && !then.policy) || (order.templates.includes(SERIALS[letter]) && !then.template);
    if (!lacks) found.push({ rule: "again", message: `order ${order.job} pushes to ${letter}, which had all when ${order.source} looked` });
  }
  const { canary } = settings;
  const [then, now] = [looked, order.standing].map((rows) => rows.find((each) => each.letter === canary));
  const isBack = script.steps.some((step) => step.do === "push" && step.isProbed);
  // A pair with a canary member is a canary as a pair, and its passive member comes first.
  const isHalf = settings.active !== undefined && canary !== "c" && !named.includes("c");
  if (
    canary !== undefined &&
    !named.includes(canary) &&
    !isHalf &&
    !isBack &&
    lacksOwn(then) &&
    lacksOwn(now) &&
    isAsked(world, order, canary)
  )
    found.push({ rule: "canary", message: `order ${order.job} pushes to ${named.join()} before the canary ${canary} has it` });
  return found;
}

/** The canary lacks the declarations of its run's documents. */
function isAsked(world: World, { source, standing }: Ordered, canary: Letter): boolean {
  const commit = world.ended.find(({ process }) => process === source)?.commit;
  const wanted = world.wanted.get(commit ?? "") ?? {};
  const row = standing.find(({ letter }) => letter === canary);
  return Object.keys(wanted).some((name) => row !== undefined && row.due[name] !== row.held[name]);
}

function lacksOwn(row: Standing | undefined): boolean {
  if (row === undefined) return false;
  return [...new Set([...Object.keys(row.held), ...Object.keys(row.due)])].some((name) => row.held[name] !== row.due[name]);
}

/** Milliseconds between a run's last check of the newest version and its job request: a few requests. */
const LAST_LOOK = 20_000;

/** Changes of another administrator in Plumbline's push: commits after the run read the newest version, and none if all must stay. */
function judgeReceived(
  world: World,
  { job, letter, gained, at }: Received,
  orders: readonly Ordered[],
  events: readonly ManagerEvent[],
): Violation[] {
  const order = orders.find((each) => each.job === job);
  const { others } = world.script.manager ?? {};
  if (order === undefined || order.admin !== OUR_ADMIN || order.source.startsWith("late") || order.validateOnly || others === "include")
    return [];
  const isByHand = events.some(
    (event) => event.kind === "received" && event.at === at && event.letter === letter && isAlices(event, orders),
  );
  if (isByHand) return [];
  return gained.flatMap((mark) => {
    const committed = events.find((event) => event.kind === "commit" && event.marks.includes(mark))?.at ?? 0;
    const asked = events.findLast((event) => event.kind === "versions" && event.source === order.source && event.at <= order.at)?.at ?? 0;
    if (others === "refuse" && committed >= Math.max(asked, order.at - LAST_LOOK)) return [];
    return [
      { rule: "foreign work" as const, message: `order ${job} of ${order.source} brought ${mark} to ${letter}, committed at ${committed}` },
    ];
  });
}

function isAlices({ job }: Received, orders: readonly Ordered[]): boolean {
  return orders.find((each) => each.job === job)?.admin !== OUR_ADMIN;
}

function judgeCommit({ admin, carried }: Extract<ManagerEvent, { kind: "commit" }>): Violation[] {
  if (admin !== OUR_ADMIN || carried.every((each) => each === OUR_ADMIN)) return [];
  return [{ rule: "carried along", message: `our commit took along what ${carried.join()} had not committed` }];
}

/** As a process saw all at its last look until then, but for firewalls that committed a push since: it may have read those at the firewall. */
function lastSeen({ manager }: World, process: string, until: number): readonly Standing[] | undefined {
  const events = manager?.events.filter(({ at }) => at <= until) ?? [];
  const look = events.findLast((event) => event.kind === "looked" && event.source.startsWith(process));
  if (look?.kind !== "looked") return undefined;
  const since = events.flatMap((event) => (event.kind === "received" && event.at >= look.at ? [event.letter] : []));
  return look.standing.filter(({ letter }) => !since.includes(letter));
}

/** A run that reported success was right at its last check. Another run names the firewalls that lack something. */
function judgeEnd(world: World, { what, process, commit, code, error, message, began, ended }: Ended): Violation[] {
  if (what !== "reconcile") return [];
  const standing = lastSeen(world, process, ended);
  if (code === 0) return untrue(world, process, commit, { standing, isOvertaken: isOvertaken(world, process, began, ended) });
  if (error !== undefined || code !== 2 || standing === undefined) return [];
  const wanted = Object.keys(world.wanted.get(commit ?? "") ?? {});
  const lacks = ({ held, due }: Standing) => wanted.some((name) => name in due && held[name] !== due[name]);
  const silent = standing.filter((row) => lacks(row) && !message.includes(SERIALS[row.letter]));
  return silent.map(({ letter }) => ({ rule: "unsaid", message: `${process} ended with 2 and did not name ${letter}, which lacks ours` }));
}

/** Another administrator, or another run of Plumbline at another commit, changed the manager in the meantime. */
function isOvertaken({ manager }: World, process: string, from: number, to: number): boolean {
  const commits = manager?.events.filter(({ kind, at }) => kind === "commit" && at >= from && at <= to) ?? [];
  return (
    commits.length > 1 ||
    (commits.length === 1 &&
      manager?.events.some((event) => event.kind === "commit" && event.at >= from && event.at <= to && event.source !== process) === true)
  );
}

interface Seen {
  readonly standing: readonly Standing[] | undefined;
  readonly isOvertaken: boolean;
}

function untrue(world: World, process: string, commit: string | undefined, { standing, isOvertaken }: Seen): Violation[] {
  const wanted = world.wanted.get(commit ?? "");
  if (wanted === undefined || standing === undefined) return [];
  return standing.flatMap((row) => {
    const own = Object.entries(wanted).filter(([name]) => name in row.due);
    const isVerified = world.script.manager?.firewalls === "verify";
    const missing = isOvertaken
      ? []
      : own.filter(([name, value]) => row.due[name] !== value || (isVerified && row.held[name] !== value)).map(([name]) => name);
    const isBehind = (own.some(([name]) => name !== "t") && !row.policy) || (own.some(([name]) => name === "t") && !row.template);
    if (missing.length === 0 && !isBehind) return [];
    const why = missing.length === 0 ? "is behind its manager" : `lacks ${missing.join()}`;
    return [{ rule: "untrue" as const, message: `${process} said that all is well, and ${row.letter} ${why}` }];
  });
}

function judgeAgent(world: World): Violation[] {
  return world.said.flatMap(({ what, result, began = 0, at, commit }) => {
    if (what !== "pass-ended" || result !== "in-sync") return [];
    const standing = lastSeen(world, "agent", at);
    return untrue(world, "agent", commit, { standing, isOvertaken: isOvertaken(world, "agent", began, at) });
  });
}

/** In the end each firewall has the declarations of the branch, and none of its former ones. */
function judgeLast(world: World, standing: readonly Standing[], reason: string | undefined): Violation[] {
  const wanted = world.wanted.get(world.head) ?? {};
  const late = standing.filter(({ held, due }) =>
    [...new Set([...Object.keys(held), ...Object.keys(due)])].some((name) => held[name] !== due[name] || due[name] !== wanted[name]),
  );
  if (late.length === 0 && reason === undefined) return [];
  if (reason !== undefined && EXPLAINS.some((word) => reason.includes(word))) return [];
  const rows = late.map(({ letter, held, due }) => `${letter} has ${JSON.stringify(held)}, its manager ${JSON.stringify(due)}`);
  return [
    {
      rule: "not converging",
      message: `${rows.join("; ")}; wanted ${JSON.stringify(wanted)}; the last word was: ${reason ?? "all is well"}`,
    },
  ];
}
