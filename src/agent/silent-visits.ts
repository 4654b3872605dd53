import { alsoObserving, type Observer } from "../core/observe.js";
import type { AgentClock } from "./clock.js";

/** Milliseconds that a visit may wait for the first answer of its target before it gives up its slot. */
const PATIENCE = 1_000;
/** Milliseconds that it may wait for a later answer. A busy device can take several seconds for one reply. */
const LATER_PATIENCE = 10_000;
/** Maximum number of slots that silent visits give up, so that targets which all answer late do not all run in parallel. */
const MOST = 64;

/**
 * Visits whose target does not answer. They do not count towards `agent.concurrency`, so that devices which accept connections and never
 * answer do not keep the agent from the others. A visit that does not wait for a reply is not silent, except before its first answer.
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
   * Runs a visit. One of a target that did not answer the last time takes no slot before it answers. Calls `onSilent` once, when the visit
   * gives up its slot.
   */
  async run<T>(didAnswer: boolean, visit: () => Promise<T>, onSilent?: () => void): Promise<T> {
    const id = Symbol();
    const end = new AbortController();
    this.#waiting.set(id, this.#clock.monotonic() + (didAnswer ? PATIENCE : 0));
    if (onSilent !== undefined) void this.#reportSilence(id, onSilent, end.signal);
    try {
      return await alsoObserving(this.#observer(id), visit);
    } finally {
      this.#waiting.delete(id);
      this.#freed.delete(id);
      end.abort();
    }
  }

  /** Number of running visits that take no slot now. */
  get count(): number {
    const now = this.#clock.monotonic();
    const silent = [...this.#waiting.values()].filter((at) => at <= now).length;
    return Math.min(silent, MOST);
  }

  /** Milliseconds until the next running visit gives up its slot, if no answer comes before. Infinite without one. */
  get untilNext(): number {
    const now = this.#clock.monotonic();
    const later = [...this.#waiting.values()].filter((at) => at > now);
    return Math.min(...later) - now;
  }

  async #reportSilence(id: symbol, onSilent: () => void, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const now = this.#clock.monotonic();
      const at = this.#waiting.get(id) ?? now + LATER_PATIENCE;
      if (at <= now && this.#freed.size < MOST) {
        this.#freed.add(id);
        onSilent();
        return;
      }
      await this.#clock.sleep(at <= now ? PATIENCE : at - now, ended);
    }
  }

  /** Observes the requests of a visit. A failed request is no answer: the visit stays silent until another one succeeds. */
  #observer(id: symbol): Observer {
    let open = 0;
    const wait = (): void => void this.#waiting.set(id, this.#clock.monotonic() + LATER_PATIENCE);
    const observer: Observer = {
      begin: ({ type }) => {
        if (type !== "request") return { inside: observer, end: () => undefined };
        open += 1;
        if (!this.#waiting.has(id)) wait();
        return {
          inside: observer,
          end: ({ error }) => {
            open -= 1;
            if (error !== undefined) return;
            if (open > 0) wait();
            else this.#waiting.delete(id);
          },
        };
      },
      repeat: () => undefined,
    };
    return observer;
  }
}
