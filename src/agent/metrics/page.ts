import type { EndingIgnores } from "../ending-ignores.js";
import { type AgentEvent, PASS_RESULTS } from "../events.js";
import type { Page } from "../http.js";
import { isStopped, type RolloutStatus } from "../rollouts.js";
import type { StoreUsage } from "../store/store.js";
import type { Unanswered } from "../visit-parts.js";
import { defineMetrics, type Metrics } from "./definitions.js";
import { MetricsListener } from "./listener.js";
import type { StoredStatus } from "./stored-status.js";

const USAGE_AGE = 60_000;

/** Data for the metrics that do not come from events. */
export interface MetricsSources {
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ready: () => boolean;
  /** Targets in the active commit. */
  readonly targets: () => readonly string[];
  readonly usage: () => Promise<StoreUsage>;
  /** Status of all targets in the store. */
  readonly status: (rollout: RolloutStatus | undefined) => Promise<StoredStatus>;
  /** Roll-out that is not finished. */
  readonly rollout: () => Promise<RolloutStatus | undefined>;
  /** Targets that did not answer. */
  readonly unanswered: () => Promise<ReadonlyMap<string, Unanswered>>;
  /** Ignores that end soon or have ended, by target. */
  readonly ignores: () => ReadonlyMap<string, EndingIgnores>;
  /** Last days of rules that have ended or end soon, by target, the earliest first. Days from now; negative: ended. */
  readonly ruleEnds: () => ReadonlyMap<string, readonly number[]>;
  /** Names of the notification channels. */
  readonly channels: () => readonly string[];
  /** This process, see `runnerName`. */
  readonly runner: string;
}

export interface AgentMetrics {
  readonly metrics: Metrics;
  listen(event: AgentEvent): Promise<void>;
  readonly page: Page;
}

/** Metrics of the agent and the `/metrics` page. */
export function agentMetrics(sources: MetricsSources): AgentMetrics {
  const metrics = defineMetrics();
  const listener = new MetricsListener(metrics);
  metrics.build.set({ version: sources.version, node: process.versions.node }, 1);
  metrics.rolloutStopped.set(0);
  startAtZero(metrics);
  let targets: ReadonlySet<string> = new Set();
  let usageAt = Number.NEGATIVE_INFINITY;
  const readStore = async (): Promise<void> => {
    const now = sources.now();
    if (Math.abs(now - usageAt) < USAGE_AGE) return;
    usageAt = now;
    const { bytes, rows } = await sources.usage();
    metrics.storeBytes.set(bytes);
    metrics.storeRows.set(rows);
  };
  const remember = async (): Promise<void> => {
    const { status, targets: names, runner, now, rollout, unanswered, ignores, ruleEnds } = sources;
    for (const [target, { ending, ended }] of ignores()) {
      metrics.ignoresEnding.set({ target }, ending);
      metrics.ignoresEnded.set({ target }, ended);
    }
    metrics.rulesExpiringDays.reset();
    for (const [target, days] of ruleEnds()) {
      metrics.rulesExpiring.set({ target }, days.length);
      const [first] = days;
      if (first !== undefined) metrics.rulesExpiringDays.set({ target }, first);
    }
    const unfinished = await rollout();
    await listener.remember(await status(unfinished), names(), runner, now());
    const silent = await unanswered();
    metrics.nextVisit.reset();
    for (const target of names()) {
      const { visits, next } = silent.get(target) ?? { visits: 0, next: undefined };
      metrics.unanswered.set({ target }, visits);
      if (next !== undefined) metrics.nextVisit.set({ target }, next / 1000);
    }
    metrics.rolloutStopped.set(unfinished !== undefined && isStopped(unfinished) ? 1 : 0);
  };
  return {
    metrics,
    listen: async (event) => {
      listener.listen(event);
      if (event.type !== "commit-in-force") return;
      const before = targets;
      targets = new Set(sources.targets());
      metrics.targets.set(targets.size);
      for (const target of targets) if (!before.has(target)) startTargetAtZero(metrics, target);
      for (const channel of sources.channels()) for (const result of ["sent", "failed"]) metrics.notifications.inc({ channel, result }, 0);
      if ([...before].some((name) => !targets.has(name))) await listener.keepOnly(targets);
    },
    page: async () => {
      // A store that fails shows in `plumbline_up` and the errors; the gauges keep their last values.
      await remember().catch(() => undefined);
      listener.age(sources.now());
      metrics.up.set(sources.ready() ? 1 : 0);
      await readStore().catch(() => undefined);
      return { type: metrics.registry.contentType, text: await metrics.registry.metrics() };
    },
  };
}

/** Counters begin at 0, not at their first event: otherwise `increase()` misses that event. */
function startAtZero({ commitsRefused, signIns }: Metrics): void {
  for (const reason of ["signature", "broken"]) commitsRefused.inc({ reason }, 0);
  for (const how of ["word", "token", "provider"]) for (const result of ["accepted", "refused"]) signIns.inc({ how, result }, 0);
}

function startTargetAtZero({ passes, operations, heals, healGuard }: Metrics, target: string): void {
  for (const result of PASS_RESULTS) passes.inc({ target, result }, 0);
  for (const counter of [operations, heals, healGuard]) counter.inc({ target }, 0);
}
