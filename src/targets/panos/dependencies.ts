import type { Logger } from "../../core/logger.js";
import type { SecretValue } from "../../core/secret.js";
import { type HttpDependencies, systemHttpDependencies } from "../../http/dependencies.js";
import { KeptPools } from "../../http/kept-pools.js";
import { JobTimes } from "./commit/job-times.js";
import { KnownDevices } from "./known-devices.js";

export interface PanosDependencies extends HttpDependencies {
  /**
   * API keys made so far, by address and user: a new key may end the user's former one, so that readers and writers of
   * one process share theirs. In memory only.
   */
  readonly keys: Map<string, Promise<SecretValue>>;
  readonly jobTimes: JobTimes;
  readonly devices: KnownDevices;
}

/** Bounds of one reader or writer, each with a default fit for production. */
export interface PanosOptions {
  /** Maximum size of a reply in bytes. Default: 100 MB. */
  readonly maxReplyBytes?: number;
  /** Longest time that a job is watched, in milliseconds; 60 minutes. */
  readonly jobTimeout?: number;
  /** How long a watched job may stay unanswered, after a commit restarts the management plane; 3 minutes. */
  readonly jobSilence?: number;
  /** Longest time that a log query may take, in milliseconds; 2 minutes. */
  readonly logTimeout?: number;
  /** Of what changes nothing: its connections stay open for who asks the same device next. */
  readonly isKept?: boolean;
  /** Given the SHA-256 (hex) of each raw reply to a read, for skipping unchanged subtrees. */
  readonly onDigest?: (xpath: string, view: "candidate" | "running", sha256: string) => void;
}

/** The real clock, randomness and connection pool. */
export function systemDependencies(logger: Logger): PanosDependencies {
  return {
    ...systemHttpDependencies(logger),
    keys: new Map(),
    jobTimes: new JobTimes(),
    devices: new KnownDevices(),
    kept: new KeptPools(),
  };
}
