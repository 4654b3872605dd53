import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Schema } from "./schema.js";

/** A database under the store: the same queries run on each. */
export interface Backend {
  readonly place: string;
  readonly db: Kysely<Schema>;
  /** The lock of the one agent, which dies with its process; undefined when another has it. */
  lock(): Promise<Lock | undefined>;
  /** The same for all who know the address with its password, and for nobody else; undefined where a store has one agent. */
  readonly key?: Buffer | undefined;
  /** Connections for work that many agents share; undefined where a store has one agent. */
  readonly pool?: ((connections: number) => Pool) | undefined;
  /** Gives `work` a database whose statements may take as long as they need; where that is `db`, undefined. */
  readonly whileMigrating?: (<T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>) | undefined;
  /** On disk. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}

export interface Lock {
  readonly lost: AbortSignal;
  release(): Promise<void>;
}
