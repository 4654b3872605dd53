import "./without-settings-files.js";

/** graphile-worker; only here, so that nothing loads it without the line above. */
export { Logger, runMigrations } from "graphile-worker";
