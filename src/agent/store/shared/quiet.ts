import { Logger } from "./job-queue.js";

/** What matters of the job queue is told by the agent's own events. */
export const QUIET = new Logger(() => () => undefined);
