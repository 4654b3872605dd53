import type { Pause } from "../engine/pause.js";
import type { AgentNotices } from "./agent-notices.js";
import type { AgentClock } from "./clock.js";
import type { EventStream } from "./events.js";
import type { Recorder } from "./recorder.js";

/** Detects pauses that begin and end, from all sources. */
export class PauseWatch {
  readonly #notices: AgentNotices;
  readonly #recorder: Recorder;
  readonly #events: EventStream;
  readonly #clock: AgentClock;
  #known = new Map<string, Pause>();

  constructor(notices: AgentNotices, recorder: Recorder, events: EventStream, clock: AgentClock) {
    this.#notices = notices;
    this.#recorder = recorder;
    this.#events = events;
    this.#clock = clock;
  }

  /** Reads and reports the pauses. Returns those that have ended since the last call. */
  async look(): Promise<readonly Pause[]> {
    const now = this.#clock.now();
    const pauses = await this.#recorder.read(() => this.#notices.pauses(now), undefined);
    if (pauses === undefined) return [];
    const before = this.#known;
    this.#known = new Map(pauses.map((pause) => [pause.target ?? "*", pause]));
    for (const [name, pause] of this.#known)
      if (!before.has(name) || isSharedNow(before.get(name), pause)) await this.#events.emit({ type: "paused", pause });
    const ended = [...before].filter(([name]) => !this.#known.has(name)).map(([, pause]) => pause);
    for (const { target, until } of ended) {
      const why = until !== undefined && until <= now ? "expired" : "command";
      await this.#events.emit({ type: "resumed", target, why });
    }
    return ended;
  }
}

/** Returns whether a pause that only this agent had is now visible to every runner. */
function isSharedNow(before: Pause | undefined, pause: Pause): boolean {
  return before?.onlyHere === true && pause.onlyHere !== true;
}
