import { alsoObserving, type Observer } from "../core/observe.js";
import type { AgentClock } from "./clock.js";

/** Milliseconds that a visit may wait for the first answer of its target before it gives up its slot. */
const PATIENCE = 1_000;
/** Maximum number of slots that silent visits give up, so that targets which all answer late do not all run in parallel. */
const MOST = 64;

/**
 * Visits whose target has not answered yet. They do not count towards `agent.concurrency`, so that devices which accept
 * connections and never answer do not keep the agent from the others.
 */
export class SilentVisits {
  readonly #clock: Pick<AgentClock, "monotonic">;
  /** By visit: when it gives up its slot, on the monotonic clock. */
  readonly #waiting = new Map<symbol, number>();

  constructor(clock: Pick<AgentClock, "monotonic">) {
    this.#clock = clock;
  }

  /** Runs a visit. One of a target that did not answer the last time takes no slot before it answers. */
  async run<T>(didAnswer: boolean, visit: () => Promise<T>): Promise<T> {
    const id = Symbol();
    this.#waiting.set(id, this.#clock.monotonic() + (didAnswer ? PATIENCE : 0));
    const answered = () => void this.#waiting.delete(id);
    try {
      return await alsoObserving(answerObserver(answered), visit);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Number of running visits that take no slot now. */
  get count(): number {
    const now = this.#clock.monotonic();
    const silent = [...this.#waiting.values()].filter((at) => at <= now).length;
    return Math.min(silent, MOST);
  }

  /** When the next running visit gives up its slot; undefined if none can. */
  get next(): number | undefined {
    const now = this.#clock.monotonic();
    const later = [...this.#waiting.values()].filter((at) => at > now);
    return later.length === 0 ? undefined : Math.min(...later);
  }
}

function answerObserver(answered: () => void): Observer {
  const observer: Observer = {
    begin: ({ type }) => ({
      inside: observer,
      end: ({ error }) => {
        if (type === "request" && error === undefined) answered();
      },
    }),
    again: () => undefined,
  };
  return observer;
}
