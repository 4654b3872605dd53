import type { Logger } from "pino";
import { type Observer, together } from "../core/observe.js";
import { version } from "../core/version.js";
import type { AgentClock } from "./clock.js";
import type { AgentEvent } from "./events.js";
import type { Page } from "./http.js";
import { logEvents } from "./log.js";
import { metricsObserver } from "./metrics/observer.js";
import { agentMetrics } from "./metrics/page.js";
import { statusReader } from "./metrics/stored-status.js";
import { Notifier } from "./notify/notifier.js";
import type { OpenAgent } from "./open.js";
import { Stopwatch } from "./stopwatch.js";
import type { Store } from "./store/store.js";
import { traceSettings } from "./traces/settings.js";

export interface InstrumentsOptions {
  readonly logger: Logger;
  readonly store: Pick<Store, "usage" | "notifications" | "passes" | "drift" | "shared">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: AgentClock;
  /** Returns whether the caller prints the event. It is then not logged too. */
  readonly isPrinted?: ((event: AgentEvent) => boolean) | undefined;
}

export interface Instruments {
  /** Measures and traces the work. */
  readonly observer: Observer;
  readonly pages: ReadonlyMap<string, Page>;
  close(): Promise<void>;
}

/** Opens metrics, logs, notifications and, if `OTEL_…` variables are set, traces. */
export async function openInstruments(opened: OpenAgent, options: InstrumentsOptions): Promise<Instruments> {
  const { logger, store, environment, clock } = options;
  const { events, health, targets, runner } = opened;
  const settings = traceSettings(environment);
  const metrics = agentMetrics({
    version,
    now: () => clock.now(),
    ready: () => health.ready().ok,
    targets,
    usage: () => store.usage(),
    status: statusReader(store),
    rollout: () => opened.agent.rollout(),
    unanswered: () => opened.agent.unanswered(),
    ignores: () => opened.ignores(),
    ruleEnds: () => opened.ruleEnds(),
    channels: () => Object.keys(opened.settings().notify),
    runner,
  });
  const stopwatch = new Stopwatch();
  const log = logEvents(logger, (target) => stopwatch.take(target));
  events.listen((event) => (options.isPrinted?.(event) === true ? undefined : log(event)));
  events.listen((event) => metrics.listen(event));
  const notifier = new Notifier({
    settings: () => opened.settings().notify,
    secrets: () => opened.secrets(),
    memory: store.notifications,
    clock,
    onDelivery: (channel, error) => {
      metrics.metrics.notifications.inc({ channel, result: error === undefined ? "sent" : "failed" });
      if (error !== undefined)
        logger.warn({ channel, why: error instanceof Error ? error.message : String(error) }, "notification not sent");
    },
  });
  notifier.start();
  events.listen((event) => notifier.listen(event));
  const onLoss = (why: string): void => logger.warn({ why }, "traces are not taken");
  // Most agents have no collector, so the module is loaded only if needed.
  const traces = settings === undefined ? undefined : (await import("./traces/open-traces.js")).openTraces(settings, onLoss);
  const observers = [metricsObserver(metrics.metrics), stopwatch.observer(), ...(traces === undefined ? [] : [traces.observer])];
  return {
    observer: together(observers),
    pages: new Map([["/metrics", metrics.page]]),
    close: async () => {
      await Promise.all([notifier.close(), traces?.close()]);
    },
  };
}
