import { createHash } from "node:crypto";
import { isIPv6, Socket } from "node:net";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { addressInTheClear, isLoopback } from "../../core/plaintext-http.js";
import type { Backend, Lock } from "./backend.js";
import type { Schema } from "./schema.js";

/** The two numbers for `pg_try_advisory_lock`: Plumbline and the role. */
const LOCK = [0x706c_756d, 1] as const;
const INT8 = 20;

const numbers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text")) as pg.CustomTypesConfig["getTypeParser"],
};

/** Milliseconds after which the server ends a statement, and after which the client closes a silent connection. */
const STATEMENT = 15_000;
const SILENCE = 20_000;
/**
 * Milliseconds after which the server ends an idle transaction. Its agent is disconnected or suspended, and its locks block the agents that
 * take over its work. This is shorter than the statement timeout, so that their statements wait and do not fail.
 */
const IDLE = 5_000;

export interface PostgresOptions {
  readonly readOnly: boolean;
  /** Milliseconds. */
  readonly silence?: number | undefined;
  /** Milliseconds. */
  readonly idle?: number | undefined;
}

/** Opens PostgreSQL at a URL with a password. @throws PlumblineError `address-in-the-clear` */
export function openPostgres(url: string, options: PostgresOptions): Backend {
  expectEncryptedWay(url);
  const patient: pg.PoolConfig = {
    connectionString: url,
    application_name: "plumbline",
    types: numbers,
    max: 10,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: options.idle ?? IDLE,
    keepAlive: true,
    ...(options.readOnly ? { options: "-c default_transaction_read_only=on" } : {}),
  };
  const prompt = { ...patient, statement_timeout: STATEMENT, stream: () => socketWithTimeout(options.silence ?? SILENCE) };
  const open = (settings: pg.PoolConfig) => new Kysely<Schema>({ dialect: new PostgresDialect({ pool: openPool(settings) }) });
  const db = open(prompt);
  return {
    place: withoutPassword(url),
    db,
    key: createHash("sha256").update(`plumbline agents of one store\n${url}`).digest(),
    pool: (connections) => openPool({ ...patient, max: connections, types: undefined }),
    whileMigrating: async (work) => {
      const slow = open({ ...patient, statement_timeout: 0, idle_in_transaction_session_timeout: 0, max: 2 });
      try {
        return await work(slow);
      } finally {
        await slow.destroy();
      }
    },
    lock: () => lock(patient),
    bytes: () => bytesOf(db),
    close: () => db.destroy(),
  };
}

/**
 * `sslmode=disable` permits an unencrypted connection explicitly. Without `sslmode`, the connection and its login would also be
 * unencrypted, so it is refused.
 */
function expectEncryptedWay(url: string): void {
  const { host, port, ssl } = new pg.Client({ connectionString: url });
  const isHere = host.startsWith("/") || isLoopback(isIPv6(host) ? `[${host}]` : host);
  if (ssl || isHere || new URL(url).searchParams.get("sslmode") === "disable") return;
  throw addressInTheClear(`The database at ${host}:${port}`, "sslmode=disable in the address");
}

function openPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(settings);
  pool.on("error", passOver);
  pool.on("connect", (client) => client.on("error", passOver));
  return pool;
}

/**
 * Returns a socket that closes after a period without data. If packets are lost, TCP retries for a quarter of an hour, and the query and
 * its caller would wait that long, for example during an apply.
 */
function socketWithTimeout(silence: number): Socket {
  const socket = new Socket();
  socket.setTimeout(silence, () => {
    socket.destroy(Object.assign(new Error(`the database has not answered for ${silence / 1000} s`), { code: "ETIMEDOUT" }));
  });
  return socket;
}

/** Returns the size of the tables and indexes in the current schema. */
async function bytesOf(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`
    select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/**
 * Ignores the error event of a broken connection, which would end the process. The query reports the error, and the next one reconnects.
 */
function passOver(): void {}

/** Takes a session lock. The server releases it with the connection. */
async function lock(settings: pg.PoolConfig): Promise<Lock | undefined> {
  const client = new pg.Client(settings);
  const lost = new AbortController();
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => lost.abort());
  await client.connect();
  const reply = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1, $2) as locked", [...LOCK]);
  if (reply.rows[0]?.locked === true) return { lost: lost.signal, release: () => client.end() };
  await client.end();
  return undefined;
}

/** @internal Exported for its test. */
export function withoutPassword(url: string): string {
  const place = new URL(url);
  place.password = "";
  place.search = "";
  return place.href;
}
