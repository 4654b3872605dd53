import { setTimeout as wait } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import type { Logger } from "../core/logger.js";

export interface VerdictDependencies {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** 0 inclusive to 1 exclusive, for jitter. */
  readonly random: () => number;
  readonly logger: Logger;
  /** Makes the connection pool; `origin` is scheme, host and port. */
  readonly dispatcher: (origin: string, options: Pool.Options) => Dispatcher;
}

/** The real time, randomness and network. */
export function systemVerdictDependencies(logger: Logger, now: () => number = Date.now): VerdictDependencies {
  return {
    now,
    sleep: (milliseconds) => wait(milliseconds),
    random: Math.random,
    logger,
    dispatcher: (origin, options) => new Pool(origin, options),
  };
}
