import type { AgentClock } from "./clock.js";
import type { AgentEvent } from "./events.js";

const SILENCE = 120_000;

export interface HealthVerdict {
  readonly ok: boolean;
  readonly reasons: readonly string[];
}

/** Liveness and readiness. The agent is live while its loop runs. It is ready when it has a commit and the store accepts writes. */
export class Health {
  readonly #clock: AgentClock;
  #turned: number;
  #storeFailed = false;
  #commit: string | undefined;

  constructor(clock: AgentClock) {
    this.#clock = clock;
    this.#turned = clock.monotonic();
  }

  /** Called by the loop in each round. */
  turn(): void {
    this.#turned = this.#clock.monotonic();
  }

  get storeFailed(): boolean {
    return this.#storeFailed;
  }

  listen(event: AgentEvent): void {
    if (event.type === "store-failed") this.#storeFailed = true;
    else if (event.type === "store-recovered") this.#storeFailed = false;
    else if (event.type === "commit-in-force") this.#commit = event.commit;
  }

  live(): HealthVerdict {
    const silent = this.#clock.monotonic() - this.#turned;
    return verdict(silent > SILENCE ? [`the loop has not turned for ${Math.round(silent / 1000)} s`] : []);
  }

  ready(): HealthVerdict {
    return verdict([
      ...this.live().reasons,
      ...(this.#commit === undefined ? ["no commit has been taken yet"] : []),
      ...(this.#storeFailed ? ["the store cannot be written"] : []),
    ]);
  }
}

function verdict(reasons: readonly string[]): HealthVerdict {
  return { ok: reasons.length === 0, reasons };
}
