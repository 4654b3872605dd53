import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Schema } from "./schema.js";

/** Database of the store. The same queries run on each. */
export interface Backend {
  readonly place: string;
  /** Repository of the rows that are read and written. Undefined: unknown, then all rows are read. */
  readonly repository?: string | undefined;
  readonly db: Kysely<Schema>;
  /** Takes the lock of the only agent. It ends with the process. Undefined if another process has it. */
  lock(): Promise<Lock | undefined>;
  /** Key that all agents with the password of the database share. Undefined for a store with one agent. */
  readonly key?: Buffer | undefined;
  /** Connections for shared work. Undefined for a store with one agent. */
  readonly pool?: ((connections: number) => Pool) | undefined;
  /** Runs `work` with a database without a statement timeout. Undefined if `db` has none. */
  readonly whileMigrating?: (<T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>) | undefined;
  /** Returns the size on disk. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}

export interface Lock {
  readonly lost: AbortSignal;
  release(): Promise<void>;
}
