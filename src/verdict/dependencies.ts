import type { Logger } from "../core/logger.js";
import { type HttpDependencies, systemHttpDependencies } from "../http/dependencies.js";

export interface VerdictDependencies extends HttpDependencies {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Returns the real clock, randomness and network. */
export function systemVerdictDependencies(logger: Logger, now: () => number = Date.now): VerdictDependencies {
  return { ...systemHttpDependencies(logger), now };
}
