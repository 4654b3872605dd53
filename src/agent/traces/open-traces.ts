import type { Observer } from "../../core/observe.js";
import { version } from "../../core/version.js";
import { type OnLoss, SpanExporter } from "./exporter.js";
import { tracingObserver } from "./observer.js";
import type { TraceSettings } from "./settings.js";

export interface Traces {
  readonly observer: Observer;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Traces of every visit, posted to a collector by OTLP over HTTP as JSON. */
export function openTraces(settings: TraceSettings, onLoss: OnLoss): Traces {
  const exporter = new SpanExporter(settings, version, onLoss);
  const observer = tracingObserver({
    onSpan: (span) => exporter.add(span),
    ratio: settings.ratio,
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: Math.random,
  });
  return { observer, close: () => exporter.close() };
}
