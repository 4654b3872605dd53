import { type Dispatcher, Pool } from "undici";
import { type Clock, sleep } from "../core/clock.js";
import type { Logger } from "../core/logger.js";
import type { KeptPools } from "./kept-pools.js";

/** Clock, randomness, log and network of a client. Tests replace them. */
export interface HttpDependencies {
  readonly clock: Clock;
  /** Returns a number from 0 inclusive to 1 exclusive, for jitter. */
  readonly random: () => number;
  readonly logger: Logger;
  /** Creates the connection pool of one server. `origin` is scheme, host and port. */
  readonly dispatcher: (origin: string, options: Pool.Options) => Dispatcher;
  /** Shared pools of a process that connects to the same servers repeatedly. */
  readonly kept?: KeptPools;
}

/** Returns the real clock, randomness and network. */
export function systemHttpDependencies(logger: Logger): HttpDependencies {
  return {
    clock: { now: () => performance.now(), sleep },
    random: Math.random,
    logger,
    dispatcher: (origin, options) => new Pool(origin, options),
  };
}
