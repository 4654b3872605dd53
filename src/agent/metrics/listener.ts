import type { Counter, Gauge } from "prom-client";
import type { AssertionState } from "../../outcome/assertion.js";
import { isInSync } from "../../outcome/in-sync.js";
import { LEVEL_STATES, levelsOf } from "../../outcome/levels.js";
import { obstructed, overdue, serialsOf, unlike } from "../../outcome/managed-firewalls.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { PUSH_STEPS } from "../../outcome/push-course.js";
import type { AgentEvent, KnownDrift, PassResult } from "../events.js";
import type { Metrics } from "./definitions.js";
import type { StoredStatus, TargetStatus } from "./stored-status.js";

/** Results of passes after which no commit is pending. */
const HAS_ITS_COMMIT: ReadonlySet<PassResult> = new Set(["in-sync", "skipped", "drifted", "pending", "applied"]);

const STATES: readonly AssertionState[] = ["holds", "broken", "unknown", "empty"];

/** Updates the metrics from the events of the agent. */
export class MetricsListener {
  readonly #metrics: Metrics;
  /** By target: when the oldest difference was first seen, milliseconds since 1970. */
  readonly #oldest = new Map<string, number>();
  /** By target: when the newest pass that reached it ended, milliseconds since 1970. */
  readonly #reached = new Map<string, number>();
  /** By target that was never reached: when this process first knew it, milliseconds since 1970. */
  readonly #since = new Map<string, number>();
  /** Targets of which this process has run the newest pass that was not skipped. */
  readonly #own = new Set<string>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /**
   * Takes over the status in the store. It counts for every target whose newest pass ran in another process: an agent that shares the
   * store, or this agent before a restart. `runner` is this process.
   */
  async remember({ targets: stored, held }: StoredStatus, targets: readonly string[], runner: string, now: number): Promise<void> {
    const metrics = this.#metrics;
    const others = new Set<string>();
    for (const target of targets) {
      const status = stored.get(target);
      const reached = Math.max(this.#reached.get(target) ?? 0, status?.reached ?? 0);
      if (reached > 0) this.#reached.set(target, reached);
      // A target that was never reached counts from when this agent first knew it, so that the alert fires.
      if (reached > 0) metrics.lastPass.set({ target }, reached / 1000);
      else if (!this.#since.has(target)) {
        this.#since.set(target, now);
        metrics.lastPass.set({ target }, now / 1000);
      }
      if (this.#own.has(target) && (status?.runner ?? runner) === runner) continue;
      if (this.#own.delete(target)) others.add(target);
      if (reached > 0 && status !== undefined) this.#showStored(target, status);
      else metrics.inSync.set({ target }, 0);
    }
    await this.#leaveToOthers(others);
    if (held === undefined) return;
    metrics.held.reset();
    const known = new Set(targets);
    for (const [target, reason] of held) if (known.has(target)) metrics.held.set({ target, reason }, 1);
  }

  #showStored(target: string, { drifts, oldest, pending, isInSync: isEqual }: TargetStatus): void {
    const metrics = this.#metrics;
    metrics.drift.set({ target }, drifts);
    metrics.inSync.set({ target }, isEqual ? 1 : 0);
    if (pending !== undefined) metrics.pending.set({ target }, pending);
    this.#setOldest(target, oldest);
  }

  /** Removes metrics that only a pass can update, for targets that another agent visits now. */
  async #leaveToOthers(targets: ReadonlySet<string>): Promise<void> {
    if (targets.size === 0) return;
    const { assertions, managed, levels } = this.#metrics;
    await Promise.all([assertions, managed, levels].map((metric) => removeTargets<string>(metric, (target) => targets.has(target))));
  }

  #setOldest(target: string, oldest: number | undefined): void {
    if (oldest !== undefined) {
      this.#oldest.set(target, oldest);
      return;
    }
    this.#oldest.delete(target);
    this.#metrics.driftAge.set({ target }, 0);
  }

  listen(event: AgentEvent): void {
    const metrics = this.#metrics;
    switch (event.type) {
      case "pass-ended":
        this.#passEnded(event);
        return;
      case "push-moved":
        this.#pushed(event);
        return;
      case "plan-refused":
        for (const { guard } of event.refusals) metrics.refusals.inc({ guard });
        return;
      case "applied":
        metrics.operations.inc({ target: event.target }, event.applied.operations);
        metrics.heals.inc({ target: event.target }, event.heals);
        return;
      case "heal-guard-tripped":
        metrics.healGuard.inc({ target: event.target });
        return;
      case "held":
        metrics.held.set({ target: event.target, reason: event.reason }, 1);
        return;
      case "released":
        metrics.held.remove({ target: event.target, reason: event.reason });
        return;
      case "paused":
        if (event.pause.onlyHere !== true) metrics.paused.set({ target: event.pause.target ?? "*" }, 1);
        return;
      case "resumed":
        metrics.paused.remove({ target: event.target ?? "*" });
        return;
      case "signed-in":
        metrics.signIns.inc({ how: event.how, result: "accepted" });
        return;
      case "sign-in-refused":
        metrics.signIns.inc({ how: event.how, result: "refused" });
        return;
      default:
        this.#ofTheSource(event);
        return;
    }
  }

  /** Updates the ages. Called just before the metrics are read. */
  age(now: number): void {
    const { targetsInDrift, driftAge } = this.#metrics;
    for (const [target, since] of this.#oldest) driftAge.set({ target }, Math.max(0, (now - since) / 1000));
    targetsInDrift.set(this.#oldest.size);
  }

  /** Removes the state of all other targets. */
  async keepOnly(targets: ReadonlySet<string>): Promise<void> {
    for (const known of [this.#oldest, this.#reached, this.#since, this.#own])
      for (const target of known.keys()) if (!targets.has(target)) known.delete(target);
    const {
      drift,
      inSync,
      driftAge,
      pending,
      assertions,
      managed,
      levels,
      pushSteps,
      pushBegan,
      ignoresEnding,
      ignoresEnded,
      rulesExpiring,
      rulesExpiringDays,
      lastPass,
      unanswered,
      passes,
      operations,
      heals,
      healGuard,
      held,
      requests,
      retries,
    } = this.#metrics;
    const ofTargets = [
      drift,
      inSync,
      driftAge,
      pending,
      pushBegan,
      ignoresEnding,
      ignoresEnded,
      rulesExpiring,
      rulesExpiringDays,
      lastPass,
      unanswered,
      passes,
      operations,
      heals,
      healGuard,
      held,
    ];
    const others = [...ofTargets, requests, retries];
    const isRemoved = (target: string) => !targets.has(target);
    const all = [assertions, managed, levels, pushSteps, ...others];
    await Promise.all(all.map((metric) => removeTargets<string>(metric, isRemoved)));
  }

  #passEnded({ target, result, milliseconds, outcome, drift, time, waiting }: Extract<AgentEvent, { type: "pass-ended" }>): void {
    const metrics = this.#metrics;
    metrics.passes.inc({ target, result });
    metrics.passDuration.observe({ result }, milliseconds / 1000);
    if (outcome?.error !== undefined) metrics.errors.inc({ code: outcome.error.code });
    if (waiting !== undefined) metrics.pending.set({ target }, waiting.changes);
    else if (HAS_ITS_COMMIT.has(result)) metrics.pending.set({ target }, 0);
    const isReached = result !== "failed" && result !== "held";
    if (isReached) {
      this.#reached.set(target, time);
      metrics.lastPass.set({ target }, time / 1000);
    }
    if (result !== "skipped") this.#own.add(target);
    // The drift of a target that was never reached is not known: it has no series. Without a ledger, the last known drift stays.
    if (this.#reached.has(target) && outcome?.drift?.areCausesUnknown !== true) {
      metrics.drift.set({ target }, drift.length);
      this.#setOldest(target, oldestOf(drift));
    }
    // A pass is skipped if nothing has moved since the last one, so the status is unchanged.
    if (result !== "skipped")
      metrics.inSync.set({ target }, outcome !== undefined && waiting === undefined && drift.length === 0 && isInSync(outcome) ? 1 : 0);
    this.#judged(target, outcome);
    this.#managed(target, outcome);
  }

  #pushed({ target, course }: Extract<AgentEvent, { type: "push-moved" }>): void {
    const { pushSteps, pushBegan } = this.#metrics;
    for (const step of PUSH_STEPS) pushSteps.set({ target, step }, course.firewalls.filter((each) => each.step === step).length);
    pushBegan.set({ target }, course.ended === undefined ? Date.parse(course.began) / 1000 : 0);
  }

  #judged(target: string, outcome: TargetOutcome | undefined): void {
    const { assertions } = outcome ?? {};
    if (assertions === undefined || (outcome?.drift === undefined && outcome?.applied?.proven !== true)) return;
    for (const state of STATES)
      this.#metrics.assertions.set({ target, state }, assertions.filter((judged) => judged.state === state).length);
  }

  /** Counts each firewall once, by its worst state. */
  #managed(target: string, outcome: TargetOutcome | undefined): void {
    for (const level of (outcome === undefined ? undefined : levelsOf(outcome)) ?? [])
      for (const state of LEVEL_STATES) this.#metrics.levels.set({ target, level: level.name, state }, level.state === state ? 1 : 0);
    if (outcome?.firewalls === undefined || outcome.firewalls.failure !== undefined) return;
    const { rows } = outcome.firewalls;
    const late = serialsOf(rows.filter(({ state }) => state === "out of sync"));
    const unknown = serialsOf(rows.filter(({ state, serial }) => state === "unknown" && !late.has(serial)));
    const away = serialsOf(rows.filter(({ connected }) => !connected));
    const counts = {
      "in sync": serialsOf(rows).size - late.size - unknown.size,
      "out of sync": late.size,
      unknown: unknown.size,
      away: away.size,
      overdue: serialsOf(overdue(outcome.firewalls)).size,
      unlike: serialsOf(unlike(outcome.firewalls)).size,
      obstructed: obstructed(outcome.firewalls).size,
    };
    for (const [state, count] of Object.entries(counts)) this.#metrics.managed.set({ target, state }, count);
  }

  #ofTheSource(event: AgentEvent): void {
    const metrics = this.#metrics;
    switch (event.type) {
      case "source-fetched":
        metrics.lastFetch.set(event.time / 1000);
        return;
      case "source-failed":
        metrics.errors.inc({ code: event.error.code });
        metrics.fetchFailures.inc();
        return;
      case "commit-refused":
        metrics.errors.inc({ code: event.error.code });
        metrics.commitsRefused.inc({ reason: "signature" });
        return;
      case "commit-broken":
        for (const { code } of event.errors) metrics.errors.inc({ code });
        metrics.commitsRefused.inc({ reason: "broken" });
        return;
      case "commit-in-force":
        metrics.commit.reset();
        metrics.commit.set({ commit: event.commit }, 1);
        metrics.commitSince.set(event.time / 1000);
        return;
      case "store-failed":
        metrics.errors.inc({ code: event.error.code });
        return;
      default:
        return;
    }
  }
}

function oldestOf(drift: readonly KnownDrift[]): number | undefined {
  return drift.reduce<number | undefined>(
    (oldest, { firstSeen }) => (oldest === undefined || firstSeen < oldest ? firstSeen : oldest),
    undefined,
  );
}

/** Removes the series of targets. */
async function removeTargets<Label extends string>(
  metric: Gauge<Label> | Counter<Label>,
  isRemoved: (target: string) => boolean,
): Promise<void> {
  for (const { labels } of (await metric.get()).values)
    if (isRemoved(String((labels as { readonly target?: unknown }).target))) metric.remove(labels);
}
