import { Logger } from "graphile-worker";

/** What matters of the job queue is told by the agent's own events. */
export const QUIET = new Logger(() => () => undefined);
