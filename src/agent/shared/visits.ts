import { during } from "../../core/observe.js";
import { resultIsGood } from "../apply-commit.js";
import { followersOf } from "../commit-index.js";
import type { PassResult } from "../events.js";
import { PRIORITY, type Priority, priorityOf } from "../priority.js";
import { jittered } from "../retries.js";
import { SilentVisits } from "../silent-visits.js";
import type { Grant } from "../store/shared/leases.js";
import type { VisitPayload } from "../store/shared/sql.js";
import type { Trigger } from "../store/store.js";
import { changesDependents, type Progress } from "../value-dependencies.js";
import { visitTarget } from "../visit.js";
import { isRetried, type TargetState, type Visited } from "../visit-parts.js";
import type { LeaseKeeper } from "./lease-keeper.js";
import { readSaved, type SavedWith, writeSaved } from "./saved-state.js";
import type { SharedAgentParts } from "./shared-agent.js";

const AFTER_FAULT = 60_000;
/** Default for the request timeout of a target, in milliseconds. */
const REQUEST = 60_000;
const SOON = 1_000;
/** A machine that was suspended may continue after a night. Milliseconds. */
const LATE = 86_400_000;

/** Visits targets, each with its lease. */
export class SharedVisits {
  readonly #parts: SharedAgentParts;
  readonly #keeper: LeaseKeeper;
  readonly #silent: SilentVisits;
  readonly #onBehind: () => void;
  readonly #known = new Map<string, TargetState["known"]>();

  constructor(parts: SharedAgentParts, keeper: LeaseKeeper, onBehind: () => void) {
    this.#parts = parts;
    this.#keeper = keeper;
    this.#onBehind = onBehind;
    this.#silent = new SilentVisits(parts.clock);
  }

  /** Number of running visits that take no slot, because their target has not answered. */
  get silent(): number {
    return this.#silent.count;
  }

  /**
   * Visits a target. Calls `freeSlot` if it does not answer. Returns undefined if another agent has the target or a newer commit. A job is
   * then planned for later. Throws only if the database fails.
   */
  async visit({ target, trigger }: VisitPayload, freeSlot?: () => void): Promise<PassResult | undefined> {
    const { work, member, repository, source, clock, lease } = this.#parts;
    const { inForce } = source;
    if (inForce === undefined || !inForce.targets.has(target)) return undefined;
    const requestedAt = clock.monotonic();
    const answer = await work.leases.acquire(target, member.id, repository, { length: lease, request: this.#requestTime(target) });
    if (answer.grant === undefined) {
      // A request is also in the lease, so that a holder that releases it plans the visit. Otherwise this job takes over.
      const priority = Math.min(PRIORITY.takeover, priorityOf(trigger)) as Priority;
      await work.jobs.postpone(target, answer.free + SOON * clock.random(), trigger, priority);
      return undefined;
    }
    const { grant } = answer;
    const { wanted } = grant;
    const requested = wanted !== undefined && priorityOf(wanted) < priorityOf(trigger) ? wanted : trigger;
    if (grant.commit === source.inForce?.commit) return await this.#visitUnder(grant, requested, requestedAt, freeSlot);
    const next = SOON * (1 + clock.random());
    await work.leases.release(grant, { applied: false, leavesWave: false, state: grant.state, next, trigger: requested });
    this.#onBehind();
    return undefined;
  }

  forgetHeals(target: string): void {
    this.#parts.healGuard.forget(target, this.#parts.clock.now());
  }

  async #visitUnder(grant: Grant, requested: string, requestedAt: number, freeSlot: (() => void) | undefined): Promise<PassResult> {
    const { work, member, tracker, healGuard } = this.#parts;
    const { target } = grant;
    const { state, ...saved } = readSaved(grant.state);
    const takenOver = this.#takenOver(grant, saved);
    const writeLease = this.#keeper.hold(grant, requestedAt, takenOver !== undefined);
    try {
      if (saved.by !== member.id) tracker.forget(target);
      this.#recall(grant, state, saved);
      const trigger = begin(state, grant, requested);
      const parts = {
        ...this.#parts,
        write: { ...this.#parts.write, lease: writeLease },
        hasTurn: () => this.#hasTurn(grant),
        atOnce: async () => (state.commitPending ? await this.#atOnce(grant) : undefined),
        since: () => grant.touched,
        taken: () => grant.commit,
        progress: (names: readonly string[]) => this.#progressOf(names),
      };
      const before = { ...state };
      const waited = 0;
      const visited = await during(
        "visit",
        () => this.#silent.run(before.unreachable === 0, () => visitTarget(target, trigger, state, parts), freeSlot),
        {
          target,
          waited,
          attributes: { trigger },
        },
      ).catch((error: unknown) => this.#unforeseen(target, error));
      this.#known.set(target, state.known);
      const leavesWave = grant.wave !== undefined && (visited.wave === "done" || visited.wave === "left-out");
      const isReleased = await work.leases.release(grant, {
        state: writeSaved(state, { touched: grant.touched, healsForgotten: healGuard.forgotten(target), takenOver, by: member.id }),
        applied: !state.commitPending,
        leavesWave,
        next: visited.result === "failed" && visited.retryIn === undefined ? AFTER_FAULT : this.#pauseAfter(visited),
        priority: isRetried(visited, state) ? PRIORITY.retry : PRIORITY.timer,
        // Keeps the request of a user that a lock on the target or an expired lease has prevented.
        trigger: visited.isPostponed === true || (requested === "reconcile" && state.held === "locked") ? requested : "timer",
      });
      // A late request of this agent may have changed the target. The agent with the lease must check it completely, including lock and
      // candidate.
      if (!isReleased) await work.jobs.plan([target], 0, "reconcile");
      if (isReleased && changesDependents(visited, before, state)) await this.#notifyDependents(target);
      if (isReleased && leavesWave) await this.#advance();
      if (isReleased && grant.wave !== undefined && visited.wave === "failed") await this.#reportStopped(grant);
      return visited.result;
    } finally {
      this.#keeper.drop(grant);
    }
  }

  /** Returns the time of the takeover while a late request of the previous agent may arrive or its changes may be unread. */
  #takenOver({ tookOver }: Grant, saved: SavedWith): number | undefined {
    const now = this.#parts.clock.now();
    const last = tookOver ? now : saved.takenOver;
    return last === undefined || Math.abs(now - last) > LATE ? undefined : last;
  }

  /** Restores heals that earlier agents counted, if no commit has touched the target since. `known` contains its own validity. */
  #recall({ target, touched }: Grant, state: TargetState, saved: SavedWith): void {
    const { healGuard, clock } = this.#parts;
    state.known = this.#known.get(target);
    if (saved.touched === touched) healGuard.remember(target, saved.healsForgotten);
    else healGuard.forget(target, clock.now());
  }

  /** The commit may have changed since the lease was taken. Its roll-out is not known then. */
  #hasTurn({ commit, wave, turn }: Grant): boolean {
    return this.#parts.source.inForce?.commit === commit && (wave === undefined || turn === undefined || wave <= turn);
  }

  /** Returns the number of open targets of the commit. With waves, only the first wave counts. */
  async #atOnce({ wave, target, commit = "" }: Grant): Promise<number | undefined> {
    if (wave !== undefined && wave > 1) return undefined;
    const { work, source } = this.#parts;
    const later = new Set(await work.commits.waiting(wave ?? 0));
    const open = new Set([target, ...(await work.commits.counted(commit))].filter((each) => !later.has(each)));
    return [...open].filter((each) => source.inForce?.configuration.targets.get(each)?.mode === "enforce").length;
  }

  async #progressOf(targets: readonly string[]): Promise<ReadonlyMap<string, Progress>> {
    const { work, source } = this.#parts;
    const behind = await work.leases.behind(targets);
    const written = behind.filter(({ target }) => source.inForce?.configuration.targets.get(target)?.mode === "enforce");
    return new Map(written.map(({ target, touched, state }) => [target, readSaved(state).state.tried === touched ? "failed" : "due"]));
  }

  /** Plans visits of the targets that use values of this one. */
  async #notifyDependents(target: string): Promise<void> {
    const { source, work } = this.#parts;
    const followers = source.inForce === undefined ? [] : followersOf(target, source.inForce.targets);
    if (followers.length > 0) await work.jobs.plan(followers, 0, "timer", PRIORITY.commit);
  }

  #unforeseen(target: string, error: unknown): Visited {
    this.#parts.onFault(error, target);
    return { result: "failed", wave: "failed" };
  }

  #pauseAfter({ retryIn, result }: Visited): number {
    const usual = jittered(this.#parts.settings().driftInterval, this.#parts.clock);
    return retryIn === undefined || resultIsGood(result) ? usual : Math.min(retryIn, usual);
  }

  #requestTime(target: string): number {
    const timeout = this.#parts.source.inForce?.configuration.targets.get(target)?.timeout;
    return timeout === undefined ? REQUEST : timeout * 1000;
  }

  async #advance(): Promise<void> {
    const { work, repository, events, source } = this.#parts;
    const next = await work.commits.advance(repository);
    if (next === undefined) return;
    const commit = source.inForce?.commit ?? "";
    if (next.targets.length === 0) await events.emit({ type: "rollout-ended", commit, targets: source.inForce?.targets.size ?? 0 });
    else await events.emit({ type: "rollout-wave", commit, ...next });
  }

  async #reportStopped({ target, commit, wave }: Grant): Promise<void> {
    const { events, work } = this.#parts;
    const left = (await work.commits.waiting(wave ?? 0)).filter((other) => other !== target);
    if (left.length > 0) await events.emit({ type: "rollout-stopped", commit: commit ?? "", failed: target, left });
  }
}

/** The request of a user is a separate trigger in the queue. */
function begin(state: TargetState, { pending }: Grant, requested: string): Trigger {
  state.commitPending = pending !== undefined || requested === "reconcile";
  state.planWanted = requested === "plan";
  return requested === "plan" || requested === "reconcile" ? "command" : (requested as Trigger);
}
