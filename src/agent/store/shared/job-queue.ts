import "./without-settings-files.js";

/** graphile-worker; only here, so that nothing loads it without the line above. */
export { Logger, type Runner, run, runMigrations, type WorkerEvents } from "graphile-worker";
