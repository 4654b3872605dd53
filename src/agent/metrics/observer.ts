import { performance } from "node:perf_hooks";
import type { Activity, Ending, Observer } from "../../core/observe.js";
import type { Metrics } from "./definitions.js";

/** The visit contains its passes. Both are measured elsewhere. */
const MEASURED_ELSEWHERE: ReadonlySet<string> = new Set(["visit", "pass"]);

const LEDGER_STEPS: ReadonlySet<string> = new Set(["ledger-before", "ledger-made", "ledger-after"]);

/** Counts and times the work of passes. `now` returns milliseconds, of which only differences are used. */
export function metricsObserver(metrics: Metrics, now: () => number = () => performance.now()): Observer {
  const observer: Observer = {
    begin: (activity) => {
      const began = now();
      if (activity.type === "stage" && activity.waited !== undefined) metrics.queueWait.observe(activity.waited / 1000);
      return { inside: observer, end: (ending) => measure(metrics, activity, ending, (now() - began) / 1000) };
    },
    repeat: ({ target, kind }) => metrics.retries.inc({ target, kind }),
  };
  return observer;
}

function measure(metrics: Metrics, activity: Activity, { error, status }: Ending, seconds: number): void {
  if (activity.type === "request") {
    const { target, kind, call } = activity;
    metrics.requests.inc({
      target,
      kind,
      outcome: error !== undefined || status === undefined ? "error" : `${Math.floor(status / 100)}xx`,
    });
    metrics.requestDuration.observe({ kind, call }, seconds);
    return;
  }
  if (MEASURED_ELSEWHERE.has(activity.name)) return;
  metrics.stageDuration.observe({ stage: activity.name }, seconds);
  if (LEDGER_STEPS.has(activity.name) && error === undefined) metrics.ledgerWrites.inc();
}
