import type { Backend } from "./backend.js";
import { Database } from "./database.js";
import { storeOn } from "./database-store.js";
import { storeFailure } from "./failures.js";
import type { StoreLocation } from "./location.js";
import { expectCurrent, migrate } from "./migrate.js";
import { openPostgres } from "./postgres.js";
import { openSqlite } from "./sqlite.js";
import type { Store } from "./store.js";

export interface OpenOptions {
  /** For commands that only look: nothing is made, brought up to date or written. */
  readonly readOnly: boolean;
}

/** Opens a store, also one that an agent has open. Made or brought up to date unless only read. */
export async function openStore(location: StoreLocation, options: OpenOptions): Promise<Store> {
  const backend = connect(location, options);
  const database = new Database(backend);
  try {
    await database.told(() => (options.readOnly ? expectCurrent(backend.db, backend.place) : migrate(backend)));
  } catch (error) {
    await backend.close();
    throw error;
  }
  return storeOn(backend);
}

function connect(location: StoreLocation, options: OpenOptions): Backend {
  if (location.kind === "postgres") return openPostgres(location.url.reveal(), options);
  try {
    return openSqlite(location.file, options);
  } catch (error) {
    throw storeFailure(error, location.file);
  }
}
