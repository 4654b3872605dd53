import { homedir } from "node:os";
import type { Logger } from "../../core/logger.js";
import { type HttpDependencies, systemHttpDependencies } from "../../http/dependencies.js";

export interface OpenstackDependencies extends HttpDependencies {
  /** For `OS_*`, `XDG_CONFIG_HOME`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folders that `clouds.yaml` is looked for in: the home folder and the working folder, absolute. */
  readonly home: string;
  readonly workingFolder: string;
}

/** Bounds of one client, each with a default fit for production. */
export interface OpenstackOptions {
  /** Maximum size of a reply in bytes. Default: 100 MB. */
  readonly maxReplyBytes?: number;
}

/** The real clock, randomness, connection pool, environment and folders. */
export function systemDependencies(logger: Logger): OpenstackDependencies {
  return { ...systemHttpDependencies(logger), environment: process.env, home: homedir(), workingFolder: process.cwd() };
}
