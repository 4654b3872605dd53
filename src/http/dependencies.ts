import { type Dispatcher, Pool } from "undici";
import { type Clock, sleep } from "../core/clock.js";
import type { Logger } from "../core/logger.js";
import type { KeptPools } from "./kept-pools.js";

/** What a client takes from the machine; tests give their own. */
export interface HttpDependencies {
  readonly clock: Clock;
  /** 0 inclusive to 1 exclusive, for jitter. */
  readonly random: () => number;
  readonly logger: Logger;
  /** Makes the connection pool of one server; `origin` is scheme, host and port. */
  readonly dispatcher: (origin: string, options: Pool.Options) => Dispatcher;
  /** Of a process that asks the same servers again and again. */
  readonly kept?: KeptPools;
}

/** The real clock, randomness and network. */
export function systemHttpDependencies(logger: Logger): HttpDependencies {
  return {
    clock: { now: () => performance.now(), sleep },
    random: Math.random,
    logger,
    dispatcher: (origin, options) => new Pool(origin, options),
  };
}
