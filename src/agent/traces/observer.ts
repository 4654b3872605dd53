import { PlumblineError } from "../../core/errors.js";
import type { Activity, Ending, Observer } from "../../core/observe.js";
import type { Span } from "./span.js";

export interface TracerOptions {
  readonly onSpan: (span: Span) => void;
  /** Fraction of traces that are kept. */
  readonly ratio: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds, of which only differences are used. */
  readonly monotonic: () => number;
  /** Returns a number from 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

interface Around {
  readonly traceId: string;
  readonly spanId: string;
  readonly target: string | undefined;
}

/** Creates a span for each activity. An activity without a parent starts a trace. */
export function tracingObserver(options: TracerOptions, around?: Around): Observer {
  return {
    begin: (activity) => {
      if (around === undefined && options.random() >= options.ratio) return { inside: UNTRACED, end: () => undefined };
      const { now, monotonic, random, onSpan } = options;
      const traceId = around?.traceId ?? hexadecimal(random, 32);
      const spanId = hexadecimal(random, 16);
      const target = activity.target ?? around?.target;
      const [start, began] = [BigInt(Math.round(now() * 1000)) * 1000n, monotonic()];
      return {
        inside: tracingObserver(options, { traceId, spanId, target }),
        end: (ending) =>
          onSpan({
            traceId,
            spanId,
            parentId: around?.spanId,
            name: activity.type === "stage" ? activity.name : `${activity.kind} ${activity.call}`,
            kind: activity.type === "stage" ? "internal" : "client",
            start,
            end: start + BigInt(Math.round((monotonic() - began) * 1e6)),
            attributes: attributesOf(activity, target, ending),
            failure: failureOf(ending),
          }),
      };
    },
    repeat: () => undefined,
  };
}

const UNTRACED: Observer = { begin: () => ({ inside: UNTRACED, end: () => undefined }), repeat: () => undefined };

function attributesOf(activity: Activity, target: string | undefined, { error, status }: Ending): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  if (target !== undefined) attributes["plumbline.target"] = target;
  if (activity.type === "request") attributes["plumbline.kind"] = activity.kind;
  else {
    if (activity.waited !== undefined) attributes["plumbline.waited_ms"] = activity.waited;
    for (const [name, value] of Object.entries(activity.attributes ?? {})) attributes[`plumbline.${name}`] = value;
  }
  if (status !== undefined) attributes["http.response.status_code"] = status;
  if (error !== undefined) attributes["error.type"] = error instanceof PlumblineError ? error.code : (error as Error).name;
  return attributes;
}

function failureOf({ error }: Ending): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof Error ? error.message : String(error);
}

function hexadecimal(random: () => number, digits: number): string {
  return Array.from({ length: digits / 4 }, () => Math.floor(random() * 65_536))
    .map((part) => part.toString(16).padStart(4, "0"))
    .join("");
}
