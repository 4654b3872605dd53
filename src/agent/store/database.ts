import { setTimeout } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import type { Backend } from "./backend.js";
import { storeFailure, withCode } from "./failures.js";
import type { Schema } from "./schema.js";

/** Milliseconds that another process's write is waited for. */
const PATIENCE = 5_000;
const LONGEST_PAUSE = 50;

/** The database with its failures in Plumbline's words. */
export class Database {
  readonly backend: Backend;
  readonly #patience: number;

  constructor(backend: Backend, patience = PATIENCE) {
    this.backend = backend;
    this.#patience = patience;
  }

  async read<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    return await this.told(() => work(this.backend.db));
  }

  /** One transaction: all of it, or nothing. */
  async write<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> {
    return await this.told(() => this.backend.db.transaction().execute(work));
  }

  /** Runs work that is undone whole when it fails: while another process writes it is tried again. */
  async told<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#patience;
    for (let pause = 1; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw storeFailure(withCode(error), this.backend.place);
        await setTimeout(pause);
      }
    }
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}
