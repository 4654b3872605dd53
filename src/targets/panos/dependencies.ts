import type { Logger } from "../../core/logger.js";
import type { SecretValue } from "../../core/secret.js";
import { type HttpDependencies, systemHttpDependencies } from "../../http/dependencies.js";
import { KeptPools } from "../../http/kept-pools.js";
import { KnownDevices } from "./known-devices.js";

export interface PanosDependencies extends HttpDependencies {
  /**
   * API keys by address and user. Readers and writers of one process share them, because a new key may invalidate the user's previous key.
   * Kept in memory only.
   */
  readonly keys: Map<string, Promise<SecretValue>>;
  readonly devices: KnownDevices;
}

/** Limits of one reader or writer. The defaults fit production. */
export interface PanosOptions {
  /** Maximum size of a reply in bytes. Default: 100 MB. */
  readonly maxReplyBytes?: number;
  /** Maximum time to watch a job, in milliseconds. Default: 60 minutes. */
  readonly jobTimeout?: number;
  /** Maximum time without an answer about a watched job, in milliseconds. Default: 3 minutes. A commit may restart the management plane. */
  readonly jobSilence?: number;
  /** Maximum duration of a log query, in milliseconds. Default: 2 minutes. */
  readonly logTimeout?: number;
  /** Whether connections stay open for later readers of the same device. Only for clients that change nothing. */
  readonly isKept?: boolean;
  /** Called with the SHA-256 (hex) of each raw reply to a read, so that unchanged subtrees can be skipped. */
  readonly onDigest?: (xpath: string, view: "candidate" | "running", sha256: string) => void;
}

/** The real clock, randomness and connection pool. */
export function systemDependencies(logger: Logger): PanosDependencies {
  return {
    ...systemHttpDependencies(logger),
    keys: new Map(),
    devices: new KnownDevices(),
    kept: new KeptPools(),
  };
}
