import { setTimeout } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import type { Backend } from "./backend.js";
import { storeFailure, withCode } from "./failures.js";
import { expectKnown } from "./migrate.js";
import type { Schema } from "./schema.js";

/** Milliseconds to wait for a write of another process. */
const PATIENCE = 5_000;
const LONGEST_PAUSE = 50;

/** Database that reports failures as Plumbline errors. */
export class Database {
  readonly backend: Backend;
  readonly #patience: number;

  constructor(backend: Backend, patience = PATIENCE) {
    this.backend = backend;
    this.#patience = patience;
  }

  async read<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    return await this.reportingFailure(() => work(this.backend.db));
  }

  /** Runs one transaction. */
  async write<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> {
    return await this.reportingFailure(() => this.backend.db.transaction().execute(work));
  }

  /** Runs work that has no effect if it fails. It is retried while another process writes. */
  async reportingFailure<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#patience;
    for (let pause = 1; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        return await work();
      } catch (error) {
        if (lacksTable(error)) await expectKnown(this.backend);
        if (!isBusy(error) || performance.now() > deadline) throw storeFailure(withCode(error), this.backend.place);
        await setTimeout(pause);
      }
    }
  }
}

/** Returns whether a table or a column does not exist: a newer version may have replaced it. */
function lacksTable(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === "42P01" || code === "42703" || /no such (table|column)/.test(String(message));
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}
