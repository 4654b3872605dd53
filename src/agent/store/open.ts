import { PlumblineError } from "../../core/errors.js";
import type { Backend } from "./backend.js";
import { Database } from "./database.js";
import { storeOn } from "./database-store.js";
import { storeFailure } from "./failures.js";
import type { StoreLocation } from "./location.js";
import { expectCurrent, migrate } from "./migrate.js";
import type { Store } from "./store.js";

export interface OpenOptions {
  /** For commands that only look: nothing is made, brought up to date or written. */
  readonly readOnly: boolean;
}

/** Opens a store, also one that an agent has open. Made or brought up to date unless only read. */
export async function openStore(location: StoreLocation, options: OpenOptions): Promise<Store> {
  const backend = await connect(location, options);
  const database = new Database(backend);
  try {
    await database.told(() => (options.readOnly ? expectCurrent(backend.db, backend.place) : migrate(backend)));
  } catch (error) {
    await backend.close();
    throw error;
  }
  return storeOn(backend);
}

/** Each database has its client, which is loaded where the store is kept in it. */
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

/** Its part in machine code is not in the single file, and not there after an install that left out optional packages. */
function notLoaded(cause: Error): never {
  throw new PlumblineError("sqlite-not-loaded", `SQLite cannot be loaded: ${cause.message.split("\n")[0] ?? ""}`, {
    cause,
    next: "Install the package of a release (plumbline-network-VERSION.tgz) on this platform, or keep the store in PostgreSQL (`store: postgres://…`).",
  });
}
