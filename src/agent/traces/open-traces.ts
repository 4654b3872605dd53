import type { Observer } from "../../core/observe.js";
import { version } from "../../core/version.js";
import { type OnLoss, SpanExporter } from "./exporter.js";
import { tracingObserver } from "./observer.js";
import type { TraceSettings } from "./settings.js";

export interface Traces {
  readonly observer: Observer;
  /** Sends the queued spans. */
  close(): Promise<void>;
}

/** Sends traces of every visit to a collector with OTLP over HTTP as JSON. */
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
