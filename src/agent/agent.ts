import { during } from "../core/observe.js";
import { resultIsGood } from "./apply-commit.js";
import { followersOf } from "./commit-index.js";
import type { PassResult } from "./events.js";
import type { Health } from "./health.js";
import { mergeCommits } from "./merge-commits.js";
import type { PauseWatch } from "./pause-watch.js";
import { PRIORITY, type Priority, priorityOf } from "./priority.js";
import { jittered } from "./retries.js";
import type { RolloutStatus, Rollouts } from "./rollouts.js";
import { type Due, Schedule } from "./schedule.js";
import { SilentVisits } from "./silent-visits.js";
import type { NewCommit } from "./source.js";
import { SteadyTime } from "./steady-time.js";
import { defaultRetention } from "./store/prune.js";
import type { Trigger } from "./store/store.js";
import type { TrafficKeeper } from "./traffic-keeper.js";
import { changesDependents, type Progress } from "./value-dependencies.js";
import { visitTarget } from "./visit.js";
import { isRetried, newState, type TargetState, type Unanswered, type Visited, type VisitParts } from "./visit-parts.js";
import type { WakeableSleep } from "./wakeable-sleep.js";

/** Dependencies of the loop, in addition to those of a visit. */
export interface AgentParts extends Omit<VisitParts, "progress" | "taken"> {
  readonly rollouts: Rollouts;
  readonly pauses: PauseWatch;
  readonly traffic: TrafficKeeper;
  readonly health: Health;
  readonly wake: WakeableSleep;
  /** Called for unexpected errors. */
  readonly onFault: (error: unknown, target: string) => void;
}

const PAUSE_INTERVAL = 5_000;
const PRUNE = 60_000;
const FETCH_JITTER = 60_000;
const AFTER_FAULT = 60_000;

/**
 * The loop of the agent: fetches commits, visits each target when it is due, and reconciles differences. The loop never waits for a
 * device or a remote: visits and fetches run concurrently and wake it when they end.
 */
export class Agent {
  readonly #parts: AgentParts;
  readonly #steady: SteadyTime;
  readonly #silent: SilentVisits;
  readonly #schedule = new Schedule();
  readonly #states = new Map<string, TargetState>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #results = new Map<string, PassResult>();
  /** The commit whose targets and roll-out this loop uses. */
  #taken: string | undefined;
  /** A new commit whose take-up failed. It is tried again. */
  #waitingCommit: NewCommit | undefined;
  #fetching: Promise<void> | undefined;
  #pruning: Promise<void> | undefined;
  #fetchAt = 0;
  #fetchTrigger: Trigger = "git";
  #pausesAt = 0;
  #pruneAt = 0;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#steady = new SteadyTime(parts.clock);
    this.#silent = new SilentVisits(parts.clock);
  }

  /**
   * Runs until stopped. Resolves when all visits and fetches have ended.
   * @throws PlumblineError `store-newer` if a newer version of Plumbline has upgraded the store
   */
  async run(stop: AbortSignal): Promise<void> {
    const { recorder } = this.#parts;
    await this.#begin();
    while (!stop.aborted && recorder.newer === undefined) {
      this.#parts.health.turn();
      this.#fetchWhenDue();
      await this.#readPauses();
      this.#pruneWhenDue();
      this.#parts.traffic.turn();
      this.#visitWhatIsDue();
      await this.#parts.wake.sleep(this.#untilNextEvent(), stop);
    }
    await this.#settle();
    if (recorder.newer !== undefined) throw recorder.newer;
  }

  /** Fetches and visits every target once, in the waves of the roll-out. Returns the result of each target. */
  async once(stop: AbortSignal): Promise<ReadonlyMap<string, PassResult>> {
    await this.#begin();
    this.#fetchWhenDue();
    await this.#fetching;
    while (!stop.aborted) {
      this.#visitWhatIsDue();
      if (this.#running.size === 0) break;
      await this.#parts.wake.sleep(Math.min(this.#silent.untilNext, PAUSE_INTERVAL), stop);
    }
    await this.#settle();
    if (!stop.aborted) await this.#parts.traffic.look();
    return this.#results;
  }

  /** Whether no visit, fetch or clean-up is running. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#fetching === undefined && this.#pruning === undefined && this.#parts.traffic.isIdle;
  }

  /** Returns the roll-out that is not finished. */
  async rollout(): Promise<RolloutStatus | undefined> {
    return this.#parts.rollouts.status;
  }

  /** Returns the targets that did not answer, with their next visits. */
  async unanswered(): Promise<ReadonlyMap<string, Unanswered>> {
    const { clock } = this.#parts;
    const found = new Map<string, Unanswered>();
    for (const [target, { unreachable, unreachableSince: since }] of this.#states) {
      const at = this.#schedule.at(target);
      if (unreachable > 0) found.set(target, { visits: unreachable, since, next: at && clock.now() + at - clock.monotonic() });
    }
    return found;
  }

  /** Fetches soon, because the repository may have a new commit. */
  fetchSoon(trigger: Trigger): void {
    this.#fetchAt = 0;
    this.#fetchTrigger = trigger;
    this.#parts.wake.call();
  }

  /** Visits a target soon, to plan or reconcile it, because a user requests it. */
  async visitSoon(target: string, requested: "plan" | "reconcile"): Promise<void> {
    const { recorder, healGuard, clock } = this.#parts;
    const state = this.#stateOf(target);
    if (requested === "plan") state.planWanted = true;
    else {
      state.commitPending = true;
      healGuard.forget(target, clock.now());
      await recorder.write((store) => store.holds.release(target), undefined);
    }
    this.#soon(target, "command");
  }

  /** Reads the pauses soon, because a user has paused or resumed a target. */
  pausesSoon(): void {
    this.#pausesAt = 0;
    this.#parts.wake.call();
  }

  /** Continues the work of the previous process: a commit that did not reach all targets is applied to the others. */
  async #begin(): Promise<void> {
    const { source, rollouts, clock } = this.#parts;
    await source.open();
    const { inForce } = source;
    if (inForce === undefined) return;
    const remembered = await rollouts.remembered(inForce.commit);
    const affected = new Set((remembered?.targets ?? [...inForce.targets.keys()]).filter((name) => inForce.targets.has(name)));
    const began = remembered?.began ?? clock.now();
    const isOver = remembered?.isOver === true;
    this.#touch(affected, began, !isOver);
    if (!isOver) rollouts.begin(inForce, affected, began);
    this.#taken = inForce.commit;
    const targets = new Set(inForce.targets.keys());
    await this.#inForce({ index: inForce, previous: undefined, affected: targets });
    if (!isOver) await rollouts.report();
    for (const target of targets) {
      this.#soon(target, "start", !isOver && affected.has(target) ? PRIORITY.takeover : PRIORITY.timer);
    }
  }

  #fetchWhenDue(): void {
    const { clock, settings } = this.#parts;
    if (this.#fetching !== undefined || clock.monotonic() < this.#fetchAt) return;
    this.#fetchAt = clock.monotonic() + settings().source.interval + clock.random() * FETCH_JITTER;
    const trigger = this.#fetchTrigger;
    this.#fetchTrigger = "git";
    this.#fetching = this.#fetch(trigger)
      .catch((error: unknown) => this.#parts.onFault(error, "source"))
      .finally(() => {
        this.#fetching = undefined;
        this.#parts.wake.call();
      });
  }

  async #fetch(trigger: Trigger): Promise<void> {
    const { source, notices } = this.#parts;
    const news = mergeCommits(this.#waitingCommit, await source.refresh());
    this.#waitingCommit = news;
    await notices.refresh().catch(() => undefined);
    this.#pausesAt = 0;
    if (news === undefined) return;
    try {
      await this.#takeCommit(news, trigger);
      this.#waitingCommit = undefined;
    } catch (error) {
      // No target is visited until the commit is taken up, so try again soon.
      this.#fetchAt = Math.min(this.#fetchAt, this.#parts.clock.monotonic() + AFTER_FAULT);
      throw error;
    }
  }

  /** Visits the targets that the commit changes: enforced targets in the waves of the roll-out, others immediately. */
  async #takeCommit(news: NewCommit, trigger: Trigger): Promise<void> {
    const { rollouts, clock } = this.#parts;
    const { index, previous } = news;
    const { unfinished } = rollouts;
    const affected = new Set([...news.affected, ...unfinished]);
    const silent = new Set(unfinished.filter((target) => !news.affected.has(target) && this.#stateOf(target).unreachable > 0));
    const now = clock.now();
    this.#touch(affected, now, previous !== undefined);
    const first = new Set(rollouts.begin(index, affected, now, silent));
    this.#taken = index.commit;
    // Visits may begin during these events. All conditions that block the commit are known from here on.
    await this.#inForce({ ...news, affected });
    await rollouts.report();
    for (const target of affected) {
      const isWritten = index.configuration.targets.get(target)?.mode === "enforce";
      if (!isWritten || first.has(target)) this.#soon(target, previous === undefined ? "start" : trigger);
    }
  }

  /** Resets the state of targets that a commit changes. */
  #touch(targets: ReadonlySet<string>, at: number, isPending: boolean): void {
    for (const target of targets) {
      this.#parts.healGuard.forget(target, at);
      const state = this.#stateOf(target);
      state.known = undefined;
      state.commitPending = isPending;
    }
  }

  async #inForce({ index, previous, affected }: NewCommit): Promise<void> {
    const { events, tracker, clock, settings } = this.#parts;
    for (const target of this.#states.keys()) {
      if (index.targets.has(target)) continue;
      this.#states.delete(target);
      this.#schedule.drop(target);
      tracker.forget(target);
    }
    const { commit, author } = index;
    await events.emit({ type: "commit-in-force", commit, previous: previous?.commit, author, targets: [...affected] });
    for (const target of index.targets.keys()) {
      if (this.#states.has(target)) continue;
      this.#states.set(target, newState());
      this.#schedule.plan(target, clock.monotonic() + clock.random() * settings().driftInterval, "timer");
    }
  }

  #visitWhatIsDue(): void {
    const { clock, settings } = this.#parts;
    const free = settings().concurrency + this.#silent.count - this.#running.size;
    for (const due of this.#schedule.take(clock.monotonic(), free, (target) => this.#running.has(target))) {
      const visit = this.#observedVisit(due)
        .catch((error: unknown) => this.#unforeseen(due.target, error))
        .finally(() => {
          this.#running.delete(due.target);
          this.#parts.wake.call();
        });
      this.#running.set(due.target, visit);
    }
  }

  #observedVisit(due: Due): Promise<void> {
    const { target, trigger, at } = due;
    const waited = Math.max(0, this.#parts.clock.monotonic() - at);
    const didAnswer = this.#stateOf(target).unreachable === 0;
    return during("visit", () => this.#silent.run(didAnswer, () => this.#visit(due)), { target, waited, attributes: { trigger } });
  }

  async #visit({ target, trigger }: Due): Promise<void> {
    const { source, clock, settings, rollouts } = this.#parts;
    const since = source.inForce?.targets.get(target)?.since;
    if (since === undefined) return;
    const state = this.#stateOf(target);
    const before = { ...state };
    const visited = await visitTarget(target, trigger, state, {
      ...this.#parts,
      taken: () => this.#taken,
      progress: async (names) => this.#progressOf(names),
    });
    this.#results.set(target, visited.result);
    if (changesDependents(visited, before, state)) this.#notifyDependents(target);
    if (state.commitPending && source.inForce?.targets.get(target)?.since !== since) {
      // A new commit arrived during the visit, which was for the previous one.
      this.#soon(target, "git");
      return;
    }
    const priority = isRetried(visited, state) ? PRIORITY.retry : PRIORITY.timer;
    this.#schedule.plan(target, clock.monotonic() + this.#pauseAfter(visited, settings().driftInterval), "timer", { priority });
    for (const next of await rollouts.ended(target, visited.wave)) this.#soon(next, "git");
  }

  #progressOf(targets: readonly string[]): ReadonlyMap<string, Progress> {
    const { inForce } = this.#parts.source;
    return new Map(
      targets.map((target) => {
        const state = this.#states.get(target);
        const isWritten = inForce?.configuration.targets.get(target)?.mode === "enforce";
        if (state === undefined || !isWritten || !state.commitPending) return [target, "settled"];
        return [target, state.tried === inForce?.targets.get(target)?.since ? "failed" : "due"];
      }),
    );
  }

  /** Visits the targets that use values of this target, after it was written or if they wait for it. */
  #notifyDependents(target: string): void {
    const { inForce } = this.#parts.source;
    for (const follower of inForce === undefined ? [] : followersOf(target, inForce.targets)) {
      this.#soon(follower, "timer", PRIORITY.commit);
    }
  }

  /** Handles an unexpected error of one visit, so that it does not end the others. */
  #unforeseen(target: string, error: unknown): void {
    const { clock, onFault } = this.#parts;
    this.#results.set(target, "failed");
    this.#schedule.plan(target, clock.monotonic() + AFTER_FAULT, "timer", { priority: PRIORITY.retry });
    onFault(error, target);
  }

  #pauseAfter({ retryIn, result }: Visited, interval: number): number {
    const usual = jittered(interval, this.#parts.clock);
    if (retryIn === undefined || resultIsGood(result)) return usual;
    return Math.min(retryIn, usual);
  }

  async #readPauses(): Promise<void> {
    const { clock, pauses, source, healGuard } = this.#parts;
    if (clock.monotonic() < this.#pausesAt) return;
    this.#pausesAt = clock.monotonic() + PAUSE_INTERVAL;
    for (const { target } of await pauses.look()) {
      for (const name of target === undefined ? (source.inForce?.targets.keys() ?? []) : [target]) {
        healGuard.forget(name, clock.now());
        this.#soon(name, "command");
      }
    }
  }

  #pruneWhenDue(): void {
    const { clock, recorder, settings, wake } = this.#parts;
    if (this.#pruning !== undefined || clock.monotonic() < this.#pruneAt) return;
    const retention = { ...defaultRetention, age: settings().retention };
    this.#pruning = recorder
      .read((store) => store.prune(retention, this.#steady.now()), false)
      .then((more) => {
        this.#pruneAt = clock.monotonic() + (more ? 1000 : PRUNE);
        this.#pruning = undefined;
        wake.call();
      });
  }

  #soon(target: string, trigger: Trigger, priority: Priority = priorityOf(trigger)): void {
    this.#schedule.plan(target, this.#parts.clock.monotonic(), trigger, { priority, replace: true });
    this.#parts.wake.call();
  }

  #stateOf(target: string): TargetState {
    const known = this.#states.get(target) ?? newState();
    this.#states.set(target, known);
    return known;
  }

  #untilNextEvent(): number {
    const now = this.#parts.clock.monotonic();
    const isFull = this.#running.size >= this.#parts.settings().concurrency + this.#silent.count;
    const visit = isFull ? now + this.#silent.untilNext : this.#schedule.next((target) => this.#running.has(target));
    const fetch = this.#fetching === undefined ? this.#fetchAt : this.#pausesAt;
    return Math.max(0, Math.min(visit ?? this.#pausesAt, fetch, this.#pausesAt) - now);
  }

  async #settle(): Promise<void> {
    await Promise.all([...this.#running.values(), this.#fetching, this.#pruning, this.#parts.traffic.settled()]);
  }
}
