import { homedir } from "node:os";
import { type Dispatcher, Pool } from "undici";
import type { Clock } from "../../core/clock.js";
import { sleep } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";

export interface OpenstackDependencies {
  readonly clock: Clock;
  /** 0 inclusive to 1 exclusive, for jitter. */
  readonly random: () => number;
  readonly logger: Logger;
  /** Makes the connection pool of one service; `origin` is scheme, host and port. */
  readonly dispatcher: (origin: string, options: Pool.Options) => Dispatcher;
  /** For `OS_*`, `XDG_CONFIG_HOME`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folders that `clouds.yaml` is looked for in: the home folder and the working folder, absolute. */
  readonly home: string;
  readonly workingFolder: string;
}

/** Bounds of one client, each with a default fit for production. */
export interface OpenstackOptions {
  /** Largest reply that is taken in, in bytes; 200 MB. */
  readonly maxReplyBytes?: number;
}

/** The real clock, randomness, connection pool, environment and folders. */
export function systemDependencies(logger: Logger): OpenstackDependencies {
  return {
    clock: { now: () => performance.now(), sleep },
    random: Math.random,
    logger,
    dispatcher: (origin, options) => new Pool(origin, options),
    environment: process.env,
    home: homedir(),
    workingFolder: process.cwd(),
  };
}
