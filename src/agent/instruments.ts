import type { Logger } from "pino";
import { type Observer, together } from "../observe.js";
import type { Store } from "../store/store.js";
import { version } from "../version.js";
import type { Page } from "./http.js";
import { logEvents } from "./log.js";
import { metricsObserver } from "./metrics/observer.js";
import { agentMetrics } from "./metrics/page.js";
import type { OpenAgent } from "./open.js";
import { Stopwatch } from "./stopwatch.js";
import { traceSettings } from "./traces/settings.js";

export interface InstrumentsOptions {
  readonly logger: Logger;
  readonly store: Pick<Store, "usage">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Instruments {
  /** What runs under it is measured and traced. */
  readonly observer: Observer;
  readonly pages: ReadonlyMap<string, Page>;
  /** A notification was sent, or was not. */
  readonly onNotification: (channel: string, result: "sent" | "failed") => void;
  close(): Promise<void>;
}

/** Everything that an agent can be watched by: metrics, structured logs, and traces where `OTEL_…` variables ask for them. */
export async function openInstruments(opened: OpenAgent, options: InstrumentsOptions): Promise<Instruments> {
  const { logger, store, environment, now } = options;
  const { events, health, targets } = opened;
  const settings = traceSettings(environment);
  const metrics = agentMetrics({ version, now, ready: () => health.ready().ok, targets, usage: () => store.usage() });
  const stopwatch = new Stopwatch();
  events.listen(logEvents(logger, (target) => stopwatch.take(target)));
  events.listen((event) => metrics.listen(event));
  const onLoss = (why: string): void => logger.warn({ why }, "traces are not taken");
  // Most agents have no collector: nothing of it is loaded then.
  const traces = settings === undefined ? undefined : (await import("./traces/open.js")).openTraces(settings, onLoss);
  const observers = [metricsObserver(metrics.metrics), stopwatch.observer(), ...(traces === undefined ? [] : [traces.observer])];
  return {
    observer: together(observers),
    pages: new Map([["/metrics", metrics.page]]),
    onNotification: (channel, result) => metrics.metrics.notifications.inc({ channel, result }),
    close: async () => await traces?.close(),
  };
}
