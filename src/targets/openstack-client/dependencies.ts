import { homedir } from "node:os";
import type { Logger } from "../../core/logger.js";
import { type HttpDependencies, systemHttpDependencies } from "../../http/dependencies.js";

export interface OpenstackDependencies extends HttpDependencies {
  /** Environment for `OS_*` and `XDG_CONFIG_HOME`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute paths of the home folder and the working folder, which are searched for `clouds.yaml`. */
  readonly home: string;
  readonly workingFolder: string;
}

/** Limits of one client. The defaults fit production. */
export interface OpenstackOptions {
  /** Maximum size of a reply in bytes. Default: 100 MB. */
  readonly maxReplyBytes?: number;
}

/** The real clock, randomness, connection pool, environment and folders. */
export function systemDependencies(logger: Logger): OpenstackDependencies {
  return { ...systemHttpDependencies(logger), environment: process.env, home: homedir(), workingFolder: process.cwd() };
}
