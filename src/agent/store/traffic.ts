import type { Transaction } from "kysely";
import { millisecondsOf } from "../../core/device-time.js";
import { PlumblineError } from "../../core/errors.js";
import { FlowSums, withoutRare } from "../../reachability/traffic/flow-sums.js";
import type { KeptHour, KeptTraffic, LogMark } from "../../reachability/traffic/kept-traffic.js";
import type { ReadSessions } from "../../reachability/traffic/read-sessions.js";
import type { Database } from "./database.js";
import { hasTraffic, makeTraffic } from "./migrate.js";
import type { Schema } from "./schema.js";
import { readHour, writeHour } from "./traffic-codec.js";

const HOUR = 3_600_000;
/** Fraction of the limit to which stored flows are reduced, so that not every read reduces them again. */
const ROOM = 0.9;

/** Position in the log of one device after the last read. Version 0 before the first read. */
interface StoredLog {
  readonly target: string;
  readonly box: string;
  readonly version: number;
  readonly mark: LogMark | undefined;
}

/** Stored sessions of traffic logs (docs/insight.md#kept-traffic). */
export interface TrafficStore {
  /** Returns true if the log of the target is due. Other callers get false for the next `every` milliseconds. */
  take(target: string, keep: number, now: number, every: number): Promise<boolean>;
  /** Records the time of the next read, or a read failure. */
  note(target: string, result: { readonly next: number } | { readonly failure: string }): Promise<void>;
  log(target: string, box: string): Promise<StoredLog>;
  /**
   * Stores a read completely or not at all. Returns false if another process has stored the same part of the log, or if the target was
   * forgotten. Keeps up to `rows` flows of one device.
   */
  add(log: StoredLog, read: ReadSessions, rows: number): Promise<boolean>;
  of(target: string): Promise<KeptTraffic | undefined>;
  /** Returns the targets with stored traffic. */
  targets(): Promise<readonly string[]>;
  forget(target: string): Promise<void>;
  /** Deletes expired traffic. Data in the format of a newer version is left to that version. */
  expire(now: number): Promise<void>;
}

export function trafficStoreOf(database: Database): TrafficStore {
  const { backend } = database;
  let isThere = false;
  /** The tables do not exist before the first log is taken. */
  const made = async (): Promise<boolean> => {
    if (!isThere) isThere = await database.reportingFailure(() => hasTraffic(backend));
    return isThere;
  };
  const make = async (): Promise<void> => {
    if (!(await made())) await database.reportingFailure(() => makeTraffic(backend));
  };
  return {
    take: async (target, keep, now, every) => {
      await make();
      return await database.write(async (transaction) => {
        await transaction
          .insertInto("traffic")
          .values({ target, keep, next: 0, failure: null })
          .onConflict((conflict) => conflict.column("target").doUpdateSet({ keep }))
          .execute();
        const row = transaction
          .updateTable("traffic")
          .set({ next: now + every })
          .where("target", "=", target);
        // A clock that was set back must not delay the read.
        const isDue = row.where((where) => where.or([where("next", "<=", now), where("next", ">", now + every)]));
        const { numUpdatedRows } = await isDue.executeTakeFirstOrThrow();
        return numUpdatedRows > 0n;
      });
    },
    note: (target, result) =>
      database.write(async (transaction) => {
        await transaction.updateTable("traffic").set(result).where("target", "=", target).execute();
      }),
    log: (target, box) =>
      database.read(async (db) => {
        const row = await db.selectFrom("traffic_logs").selectAll().where("target", "=", target).where("box", "=", box).executeTakeFirst();
        return { target, box, version: row?.version ?? 0, mark: row && (JSON.parse(row.mark) as LogMark) };
      }),
    add: (log, read, rows) => add(database, log, read, rows),
    of: async (target) => ((await made()) ? await keptOf(database, target) : undefined),
    targets: async () => {
      if (!(await made())) return [];
      const rows = await database.read((db) => db.selectFrom("traffic").select("target").execute());
      return rows.map(({ target }) => target);
    },
    forget: async (target) => {
      if (await made()) await database.write((transaction) => forget(transaction, target));
    },
    expire: async (now) => {
      const isCreated = await made().catch((error: unknown) => {
        if (error instanceof PlumblineError && error.code === "store-newer") return false;
        throw error;
      });
      if (isCreated) await expire(database, now);
    },
  };
}

async function add(database: Database, log: StoredLog, read: ReadSessions, rows: number): Promise<boolean> {
  const { target, box } = log;
  const { mark } = read;
  const stored = new StoredHours(database, log);
  const fresh = new Map<string, KeptHour>();
  for (const [hour, kept] of read.hours) fresh.set(hour, await stored.under(kept, hour, mark.lastCommit));
  await cut(stored, fresh, rows);
  const written = await Promise.all(
    [...fresh].map(async ([hour, kept]) => {
      const ends = mark.at - Math.max(0, millisecondsOf(mark.clock) - millisecondsOf(hour) - HOUR);
      return { hour, values: { ends, flows: kept.flows.length, data: await writeHour(hour, kept) } };
    }),
  );
  return await database.write(async (transaction) => {
    const known = transaction.updateTable("traffic").set({ failure: null }).where("target", "=", target);
    if ((await known.executeTakeFirstOrThrow()).numUpdatedRows === 0n) return false;
    if (!(await moveOn(transaction, log, mark))) return false;
    for (const { hour, values } of written) {
      await transaction
        .insertInto("traffic_hours")
        .values({ target, box, hour, ...values })
        .onConflict((conflict) => conflict.columns(["target", "box", "hour"]).doUpdateSet(values))
        .execute();
    }
    return true;
  });
}

/** Returns false if another process was faster. */
async function moveOn(transaction: Transaction<Schema>, { target, box, version }: StoredLog, to: LogMark): Promise<boolean> {
  const mark = JSON.stringify(to);
  if (version === 0) {
    const row = transaction.insertInto("traffic_logs").values({ target, box, version: 1, mark });
    const { numInsertedOrUpdatedRows = 0n } = await row.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows > 0n;
  }
  const row = transaction
    .updateTable("traffic_logs")
    .set({ version: version + 1, mark })
    .where("target", "=", target);
  const { numUpdatedRows } = await row.where("box", "=", box).where("version", "=", version).executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes the rarest flows of the hour with the most flows, repeatedly, until the limit is met. */
async function cut(stored: StoredHours, fresh: Map<string, KeptHour>, rows: number): Promise<void> {
  const sizes = await stored.sizes();
  for (const [hour, { flows }] of fresh) sizes.set(hour, flows.length);
  const total = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (total() <= rows) return;
  for (let over = total() - Math.floor(rows * ROOM); over > 0; ) {
    const [hour, size] = [...sizes].reduce((most, each) => (each[1] > most[1] ? each : most), ["", 0]);
    const left = Math.max(Math.floor(size / 2), size - over);
    const hourOf = fresh.get(hour) ?? (await stored.hour(hour));
    if (hourOf !== undefined) fresh.set(hour, withoutRare(hourOf, left));
    sizes.set(hour, left);
    over -= size - left;
  }
}

/** Stored hours of one device. */
class StoredHours {
  readonly #database: Database;
  readonly #log: StoredLog;

  constructor(database: Database, log: StoredLog) {
    this.#database = database;
    this.#log = log;
  }

  async hour(hour: string): Promise<KeptHour | undefined> {
    const { target, box } = this.#log;
    const row = await this.#database.read((db) =>
      db
        .selectFrom("traffic_hours")
        .select("data")
        .where("target", "=", target)
        .where("box", "=", box)
        .where("hour", "=", hour)
        .executeTakeFirst(),
    );
    return row && (await readHour(hour, row.data));
  }

  /** Adds the flows that are already stored for the same hour. */
  async under(kept: KeptHour, hour: string, lastCommit: string | undefined): Promise<KeptHour> {
    const before = await this.hour(hour);
    if (before === undefined) return kept;
    const sums = new FlowSums(lastCommit);
    sums.addHour(kept);
    sums.addHour(before);
    return sums.result(false);
  }

  async sizes(): Promise<Map<string, number>> {
    const { target, box } = this.#log;
    const rows = await this.#database.read((db) =>
      db.selectFrom("traffic_hours").select(["hour", "flows"]).where("target", "=", target).where("box", "=", box).execute(),
    );
    return new Map(rows.map(({ hour, flows }) => [hour, flows]));
  }
}

/** One statement reads a consistent state. Concurrent writes are either included completely or not at all. */
async function keptOf(database: Database, target: string): Promise<KeptTraffic | undefined> {
  const rows = await database.read((db) =>
    db
      .selectFrom("traffic")
      .innerJoin("traffic_logs as log", "log.target", "traffic.target")
      .leftJoin("traffic_hours as part", (join) => join.onRef("part.target", "=", "log.target").onRef("part.box", "=", "log.box"))
      .select(["keep", "failure", "log.box", "mark", "hour", "data"])
      .where("traffic.target", "=", target)
      .orderBy("hour", "desc")
      .execute(),
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const marks = [...new Map(rows.map(({ box, mark }) => [box, JSON.parse(mark) as LogMark]))].sort(([, a], [, b]) => b.at - a.at);
  return {
    keep: first.keep,
    failure: first.failure ?? undefined,
    boxes: marks.map(([box, { since, read, lastCommit }]) => ({ box, since, until: read, lastCommit })),
    gaps: marks.flatMap(([, { gaps }]) => gaps),
    async *hours(since) {
      for (const { hour, data } of rows)
        if (hour !== null && data !== null && hour >= since) yield { hour, ...(await readHour(hour, data)) };
    },
  };
}

async function forget(transaction: Transaction<Schema>, target: string): Promise<void> {
  for (const table of ["traffic", "traffic_logs", "traffic_hours"] as const)
    await transaction.deleteFrom(table).where("target", "=", target).execute();
}

async function expire(database: Database, now: number): Promise<void> {
  const targets = await database.read((db) => db.selectFrom("traffic").select(["target", "keep", "next"]).execute());
  for (const { target, keep, next } of targets) {
    const before = now - keep;
    await database.write(async (transaction) => {
      await transaction.deleteFrom("traffic_hours").where("target", "=", target).where("ends", "<", before).execute();
    });
    // The log of this target is no longer read.
    if (next < before) await database.write((transaction) => forget(transaction, target));
  }
}
