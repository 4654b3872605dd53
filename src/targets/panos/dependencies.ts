import { type Dispatcher, Pool } from "undici";
import { type Clock, sleep } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import type { SecretValue } from "../../core/secret.js";

export interface PanosDependencies {
  readonly clock: Clock;
  /** 0 inclusive to 1 exclusive, for jitter. */
  readonly random: () => number;
  readonly logger: Logger;
  /**
   * API keys made so far, by address and user: a new key may end the user's former one, so that readers and writers of
   * one process share theirs. In memory only.
   */
  readonly keys: Map<string, Promise<SecretValue>>;
  /** Makes the connection pool of one device; `origin` is scheme, host and port. */
  readonly dispatcher: (origin: string, options: Pool.Options) => Dispatcher;
}

/** Bounds of one reader or writer, each with a default fit for production. */
export interface PanosOptions {
  /** Largest reply that is taken in, in bytes; 200 MB. */
  readonly maxReplyBytes?: number;
  /** Longest time that a job is watched, in milliseconds; 60 minutes. */
  readonly jobTimeout?: number;
  /** How long a watched job may stay unanswered, after a commit restarts the management plane; 3 minutes. */
  readonly jobSilence?: number;
  /** Longest time that a log query may take, in milliseconds; 2 minutes. */
  readonly logTimeout?: number;
  /** Given the SHA-256 (hex) of each raw reply to a read, for skipping unchanged subtrees. */
  readonly onDigest?: (xpath: string, view: "candidate" | "running", sha256: string) => void;
}

/** The real clock, randomness and connection pool. */
export function systemDependencies(logger: Logger): PanosDependencies {
  return {
    clock: { now: () => performance.now(), sleep },
    random: Math.random,
    logger,
    keys: new Map(),
    dispatcher: (origin, options) => new Pool(origin, options),
  };
}
