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
  readonly #clock: Pick<AgentClock, "monotonic" | "sleep">;
  /** By visit: when it gives up its slot, on the monotonic clock. */
  readonly #waiting = new Map<symbol, number>();
  /** Running visits that have reported that they are silent. */
  readonly #freed = new Set<symbol>();

  constructor(clock: Pick<AgentClock, "monotonic" | "sleep">) {
    this.#clock = clock;
  }

  /**
   * Runs a visit. One of a target that did not answer the last time takes no slot before it answers. Calls `onSilent` when the visit gives
   * up its slot.
   */
  async run<T>(didAnswer: boolean, visit: () => Promise<T>, onSilent?: () => void): Promise<T> {
    const id = Symbol();
    const patience = didAnswer ? PATIENCE : 0;
    const end = new AbortController();
    this.#waiting.set(id, this.#clock.monotonic() + patience);
    if (onSilent !== undefined)
      void this.#clock.sleep(patience, end.signal).then(() => {
        if (!this.#waiting.has(id) || this.#freed.size >= MOST) return;
        this.#freed.add(id);
        onSilent();
      });
    const answered = () => {
      this.#waiting.delete(id);
      end.abort();
    };
    try {
      return await alsoObserving(answerObserver(answered), visit);
    } finally {
      answered();
      this.#freed.delete(id);
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
    repeat: () => undefined,
  };
  return observer;
}
