import type { Kysely, Transaction } from "kysely";
import type { Backend } from "./backend.js";
import { storeFailure, withCode } from "./failures.js";
import type { Schema } from "./schema.js";

/** The database with its failures in Plumbline's words. */
export class Database {
  readonly backend: Backend;

  constructor(backend: Backend) {
    this.backend = backend;
  }

  async read<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    return await this.told(() => work(this.backend.db));
  }

  /** One transaction: all of it, or nothing. */
  async write<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> {
    return await this.told(() => this.backend.db.transaction().execute(work));
  }

  async told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw storeFailure(withCode(error), this.backend.place);
    }
  }
}
