import "./without-settings-files.js";

/** Exports graphile-worker. Every import goes through this file, so that the import above always runs first. */
export { Logger, run, runMigrations, type WorkerEvents } from "graphile-worker";
