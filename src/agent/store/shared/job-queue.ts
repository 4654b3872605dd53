import "./without-settings-files.js";

/** Exports graphile-worker. Every import goes through this file, so that the import above always runs first. */
export { Logger, runMigrations } from "graphile-worker";
