import { PlumblineError } from "../core/errors.js";
import { alsoObserving, type Observer } from "../core/observe.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import { withSingleTries } from "../http/retry.js";
import { retryDelay } from "./retries.js";
import type { Trigger } from "./store/store.js";
import type { TargetState, VisitParts } from "./visit-parts.js";

/** Seconds that a target has for the answer to a probe. */
const TIMEOUT = 5;

interface Silence {
  readonly error: PlumblineError;
  /** Milliseconds until the next try. */
  readonly retryIn: number;
}

/**
 * Sends one request to a target that did not answer the last time, before a visit with the usual timeouts and retries. Returns undefined if
 * the target answers, or if the visit must not wait: a user requests it, or a commit arrives.
 */
export async function probe(target: string, trigger: Trigger, state: TargetState, parts: VisitParts): Promise<Silence | undefined> {
  if (state.unreachable === 0 || (trigger !== "timer" && trigger !== "start")) return undefined;
  const { clock, contexts, writers, settings } = parts;
  // A target that does not load is reported by the visit.
  const context = await contexts.of(target).catch(() => undefined);
  const cause = context && (await firstAnswer(context.configuration, { writers, clock }));
  if (cause === undefined || cause.code === "interrupted") return undefined;
  const retryIn = Math.min(retryDelay(state.unreachable + 1, clock), settings().driftInterval);
  const since = instant(state.unreachableSince ?? clock.now());
  const message = `No answer since ${since} (${state.unreachable + 1} tries), next try by ${instant(clock.now() + retryIn)}: ${cause.message}`;
  return { retryIn, error: new PlumblineError(cause.code, message, { where: cause.where, next: cause.next, cause }) };
}

/** Queries the target until its first answer. Returns the error without one. A refusal is an answer: the visit reports it. */
async function firstAnswer(
  configuration: TargetConfiguration,
  { writers, clock }: Pick<VisitParts, "writers" | "clock">,
): Promise<PlumblineError | undefined> {
  const timeout = Math.min(configuration.timeout ?? TIMEOUT, TIMEOUT);
  const reader = await writers.reader({ ...configuration, timeout });
  const end = new AbortController();
  try {
    return await new Promise<PlumblineError | undefined>((resolve) => {
      const opened = alsoObserving(
        answers(() => resolve(undefined)),
        () => withSingleTries(async () => void (await (reader.probe?.() ?? reader.open()))),
      );
      opened.then(
        () => resolve(undefined),
        (error: unknown) => resolve(asPlumblineError(error, configuration.name)),
      );
      const late = (): void => resolve(timedOut(configuration.name, timeout));
      void clock.sleep(timeout * 1000, end.signal).then(late);
    });
  } finally {
    end.abort();
    await reader.close().catch(() => undefined);
  }
}

function timedOut(target: string, timeout: number): PlumblineError {
  return new PlumblineError("request-timed-out", `${target} did not answer within ${timeout} s`, {
    where: { target },
    next: "Check that the device is up and answers its API.",
  });
}

/** Calls `done` at the first answer. */
function answers(done: () => void): Observer {
  const observer: Observer = {
    begin: ({ type }) => ({
      inside: observer,
      end: ({ error }) => {
        if (type === "request" && error === undefined) done();
      },
    }),
    repeat: () => undefined,
  };
  return observer;
}

/** Returns `2026-11-29 08:00:12 UTC`. */
function instant(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
