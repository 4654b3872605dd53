import { setTimeout as wait } from "node:timers/promises";
import pLimit from "p-limit";
import type { PassResult } from "../events.js";
import type { Health } from "../health.js";
import type { PauseWatch } from "../pause-watch.js";
import type { RolloutStatus } from "../rollouts.js";
import { SteadyTime } from "../steady-time.js";
import { defaultRetention } from "../store/prune.js";
import type { Member } from "../store/shared/members.js";
import type { SharedWork } from "../store/shared/shared-work.js";
import type { Trigger } from "../store/store.js";
import type { TrafficKeeper } from "../traffic-keeper.js";
import type { Unanswered, VisitParts } from "../visit-parts.js";
import type { WakeableSleep } from "../wakeable-sleep.js";
import { SharedCommits } from "./commits.js";
import type { DatabaseClock } from "./database-clock.js";
import { JobEngine } from "./job-engine.js";
import { LeaseKeeper } from "./lease-keeper.js";
import { SharedVisits } from "./visits.js";

/** Dependencies of the loop, in addition to those of visits. */
export interface SharedAgentParts extends Omit<VisitParts, "progress" | "taken"> {
  readonly clock: DatabaseClock;
  readonly work: SharedWork;
  readonly member: Member;
  /** Duration of a lease in milliseconds. */
  readonly lease: number;
  /** Key of the repository that all agents of the store share. */
  readonly repository: string;
  readonly pauses: PauseWatch;
  readonly traffic: TrafficKeeper;
  readonly health: Health;
  readonly wake: WakeableSleep;
  readonly onFault: (error: unknown, about: string) => void;
}

const PAUSE_INTERVAL = 5_000;
const PRUNE = 60_000;
const BUSY_INTERVAL = 1_000;

/**
 * One of many agents with a common store. Each agent fetches the repository. The store contains the active commit and the lease of each
 * target, and its job queue contains the due times. A free agent takes the next job; there is no coordinator.
 */
export class SharedAgent {
  readonly #parts: SharedAgentParts;
  readonly #keeper: LeaseKeeper;
  readonly #commits: SharedCommits;
  readonly #visits: SharedVisits;
  readonly #steady: SteadyTime;
  readonly #ending = new AbortController();
  #engine: JobEngine | undefined;
  #beating: Promise<void> | undefined;
  #background: Promise<void> | undefined;
  #pausesAt = 0;
  #pruneAt = 0;
  #ensureAt = 0;

  constructor(parts: SharedAgentParts) {
    this.#parts = parts;
    this.#steady = new SteadyTime(parts.clock);
    const { work, member, lease, clock } = parts;
    this.#keeper = new LeaseKeeper(work, member, lease, clock);
    this.#commits = new SharedCommits(parts);
    this.#visits = new SharedVisits(parts, this.#keeper, () => this.#commits.recheck());
  }

  /**
   * Runs until stopped. Completes running work before it ends.
   * @throws PlumblineError `store-newer` if a newer version of Plumbline has upgraded the store
   */
  async run(stop: AbortSignal): Promise<void> {
    const { health, wake, work, settings, clock, onFault, recorder } = this.#parts;
    this.#engine = new JobEngine({
      pool: (connections) => work.pool(connections),
      clock,
      concurrency: () => settings().concurrency,
      visit: (job, freeSlot) => this.#visits.visit(job, freeSlot),
      silent: () => this.#visits.silent,
      enter: (runner) => this.#keeper.enter(runner),
      leave: (runner) => this.#keeper.leave(runner),
      onFailure: (error) => onFault(error, "jobs"),
    });
    await this.#join();
    try {
      while (!stop.aborted && recorder.newer === undefined) {
        health.turn();
        this.#commits.fetchWhenDue();
        await this.#readPauses();
        this.#engine.want(this.#commits.isCurrent);
        this.#keepHouse();
        this.#parts.traffic.turn();
        await wake.sleep(this.#untilNextEvent(), stop);
      }
    } finally {
      await this.#engine.close();
      await this.#part();
    }
    if (recorder.newer !== undefined) throw recorder.newer;
  }

  /** Fetches and visits every target once, after other agents have finished with it. Returns the results. */
  async once(stop: AbortSignal): Promise<ReadonlyMap<string, PassResult>> {
    const { source, settings } = this.#parts;
    await this.#join();
    const results = new Map<string, PassResult>();
    try {
      this.#commits.fetchWhenDue();
      await this.#commits.settled();
      const limit = pLimit(settings().concurrency);
      const targets = this.#commits.isCurrent ? [...(source.inForce?.targets.keys() ?? [])] : [];
      const visits: Promise<unknown>[] = [];
      // A slot is free when its visit ends, or earlier if the target does not answer.
      const slotOf = (target: string): Promise<void> =>
        new Promise((free, fail) => {
          const visit = this.#visitOnce(target, stop, free).then((result) => results.set(target, result));
          visit.then(() => free(), fail);
          visits.push(visit);
        });
      await Promise.all(targets.map((target) => limit(() => slotOf(target))));
      await Promise.all(visits);
      if (!stop.aborted) await this.#parts.traffic.look();
      return results;
    } finally {
      await this.#part();
    }
  }

  get isIdle(): boolean {
    return this.#keeper.size === 0 && this.#commits.isIdle && this.#background === undefined && this.#parts.traffic.isIdle;
  }

  /** Returns the roll-out that is not finished, from the store. */
  async rollout(): Promise<RolloutStatus | undefined> {
    const { work, repository } = this.#parts;
    return await work.commits.rollout(repository);
  }

  /** Returns the targets that did not answer any agent, with their next visits. */
  async unanswered(): Promise<ReadonlyMap<string, Unanswered>> {
    return await this.#parts.work.leases.unanswered();
  }

  fetchSoon(trigger: Trigger): void {
    this.#commits.fetchSoon(trigger);
  }

  async visitSoon(target: string, requested: "plan" | "reconcile"): Promise<void> {
    const { recorder, work } = this.#parts;
    if (requested === "reconcile") await recorder.write((store) => store.holds.release(target), undefined);
    await work.jobs.plan([target], 0, requested);
  }

  pausesSoon(): void {
    this.#pausesAt = 0;
    this.#parts.wake.call();
  }

  async #join(): Promise<void> {
    const { work, onFault } = this.#parts;
    await work.prepare();
    await this.#keeper.beat();
    await this.#commits.open();
    this.#beating = this.#keeper.keep((error) => onFault(error, "leases"), this.#ending.signal);
  }

  /** Keeps the leases until the last visit has ended. */
  async #part(): Promise<void> {
    const { work, member, onFault } = this.#parts;
    await this.#commits.settled();
    await this.#background;
    await this.#parts.traffic.settled();
    this.#ending.abort();
    await this.#beating;
    await work.members.leave(member.id).catch((error: unknown) => onFault(error, "leases"));
  }

  async #visitOnce(target: string, stop: AbortSignal, freeSlot: () => void): Promise<PassResult> {
    while (!stop.aborted) {
      const result = await this.#visits.visit({ target, trigger: "start" }, freeSlot);
      if (result !== undefined) return result;
      await wait(BUSY_INTERVAL, undefined, { signal: stop }).catch(() => undefined);
    }
    return "failed";
  }

  async #readPauses(): Promise<void> {
    const { clock, pauses, source, work } = this.#parts;
    if (clock.monotonic() < this.#pausesAt) return;
    this.#pausesAt = clock.monotonic() + PAUSE_INTERVAL;
    const ended = await pauses.look();
    if (ended.length === 0) return;
    const all = ended.some(({ target }) => target === undefined);
    const targets = all ? [...(source.inForce?.targets.keys() ?? [])] : ended.flatMap(({ target }) => target ?? []);
    for (const target of targets) this.#visits.forgetHeals(target);
    await work.jobs.plan(targets, 0, "command").catch((error: unknown) => this.#parts.onFault(error, "jobs"));
  }

  /** Prunes the history, and adds missing jobs of targets. */
  #keepHouse(): void {
    const { clock } = this.#parts;
    if (this.#background !== undefined) return;
    const now = clock.monotonic();
    const prune = now >= this.#pruneAt;
    const ensure = this.#commits.isCurrent && now >= this.#ensureAt;
    if (!prune && !ensure) return;
    this.#background = Promise.all([prune ? this.#prune() : undefined, ensure ? this.#ensure() : undefined])
      .then(() => undefined)
      .catch((error: unknown) => this.#parts.onFault(error, "jobs"))
      .finally(() => {
        this.#background = undefined;
        this.#parts.wake.call();
      });
  }

  async #prune(): Promise<void> {
    const { clock, recorder, settings } = this.#parts;
    const retention = { ...defaultRetention, age: settings().retention };
    const more = await recorder.read((store) => store.prune(retention, this.#steady.now()), false);
    this.#pruneAt = clock.monotonic() + (more ? 1000 : PRUNE * (1 + clock.random()));
  }

  async #ensure(): Promise<void> {
    const { clock, source, settings, work, lease } = this.#parts;
    this.#ensureAt = clock.monotonic() + lease * (1 + clock.random());
    await work.jobs.ensure([...(source.inForce?.targets.keys() ?? [])], settings().driftInterval, 2 * lease);
  }

  #untilNextEvent(): number {
    const house = this.#background === undefined ? Math.min(this.#pruneAt, this.#commits.isCurrent ? this.#ensureAt : Infinity) : Infinity;
    return Math.max(0, Math.min(this.#pausesAt, this.#commits.nextFetch, house) - this.#parts.clock.monotonic());
  }
}
