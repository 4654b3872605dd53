import { PlumblineError } from "../../core/errors.js";
import type { Backend } from "./backend.js";
import { Database } from "./database.js";
import { storeOn } from "./database-store.js";
import { storeFailure } from "./failures.js";
import type { StoreLocation } from "./location.js";
import { expectCurrent, migrate } from "./migrate.js";
import type { Store } from "./store.js";

export interface OpenOptions {
  /** For commands that only read. The store is not created, migrated or written. */
  readonly readOnly: boolean;
  /** Repository of passes, drift, marks, holds and history (`repositoryName`). */
  readonly repository?: string | undefined;
}

/** Opens a store, also while an agent has it open. Creates or migrates it unless `readOnly` is set. */
export async function openStore(location: StoreLocation, options: OpenOptions): Promise<Store> {
  const backend = await connect(location, options);
  const database = new Database(backend);
  try {
    await database.reportingFailure(() => (options.readOnly ? expectCurrent(backend.db, backend.place) : migrate(backend)));
  } catch (error) {
    await backend.close();
    throw error;
  }
  return storeOn({ ...backend, repository: options.repository });
}

/** Loads only the client of the configured database. */
async function connect(location: StoreLocation, options: OpenOptions): Promise<Backend> {
  if (location.kind === "postgres") {
    const { openPostgres } = await import("./postgres.js");
    return openPostgres(location.url.reveal(), options);
  }
  const { openSqlite } = await import("./sqlite.js").catch(notLoaded);
  try {
    return openSqlite(location.file, options);
  } catch (error) {
    throw storeFailure(error, location.file);
  }
}

/** The native part of SQLite is missing in the single-file build and after an install without optional packages. */
function notLoaded(cause: Error): never {
  throw new PlumblineError("sqlite-not-loaded", `SQLite cannot be loaded: ${cause.message.split("\n")[0] ?? ""}`, {
    cause,
    next: "Install the package of a release (plumbline-network-VERSION.tgz) on this platform, or keep the store in PostgreSQL (`store: postgres://…`).",
  });
}
