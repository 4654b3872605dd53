import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../../src/agent/store/database.js";
import { openStore } from "../../../src/agent/store/open.js";
import { openPostgres, withoutPassword } from "../../../src/agent/store/postgres.js";
import { SecretValue } from "../../../src/core/secret.js";
import { end, start, T0 } from "./passes.js";
import { startPostgres, type TestPostgres } from "./postgres.js";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const location = (url: string) => ({ kind: "postgres", url: new SecretValue(url, "${env:DATABASE_URL}") }) as const;
const runner = { host: "noc-1", pid: 4711, started: T0, version: "1" };

describe("a store on PostgreSQL", () => {
  it("reports a lost database, notifies the agent that its lock is gone, and continues when it returns", async () => {
    const store = await openStore(location(await server.createDatabase()), { readOnly: false });
    const claim = await store.claim(runner, T0);
    const id = await store.passes.start(start());
    const lost = new Promise((done) => claim.lost.addEventListener("abort", done));
    const during = server.restart();
    await lost;
    await during;
    const finished = async () => {
      try {
        await store.passes.finish(id, end());
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: "store-unreachable" });
        return false;
      }
    };
    while (!(await finished()));
    expect((await store.history.find({ limit: 10 })).entries).toMatchObject([{ id, outcome: "in-sync" }]);
    await (await store.claim(runner, T0)).release();
    await store.close();
  });

  it("is created while others create and drop tables in the same database", async () => {
    const url = await server.createDatabase();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    let isDone = false;
    const churn = (async () => {
      while (!isDone) {
        await other.query("create table passing (id serial, note text default 'x')");
        await other.query("drop table passing");
      }
    })();
    try {
      for (let round = 0; round < 25; round++) {
        const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(location(url), { readOnly: false })));
        await Promise.all(stores.map((store) => store.close()));
      }
    } finally {
      isDone = true;
      await churn;
      await other.end();
    }
  });

  it("survives connections that are cut during transactions", async () => {
    const store = await openStore(location(await server.createDatabase()), { readOnly: false });
    const kept: number[] = [];
    const restarts = { done: false };
    const write = async () => {
      while (!restarts.done) {
        try {
          kept.push(await store.passes.record(start(), end()));
        } catch (error) {
          expect(error).toMatchObject({ code: "store-unreachable" });
        }
      }
    };
    const writers = [write(), write(), write(), write()];
    for (let i = 0; i < 3; i++) await server.restart();
    restarts.done = true;
    await Promise.all(writers);
    const { entries } = await store.history.find({ limit: 1_000_000 });
    const ids = new Set(entries.map(({ id }) => id));
    expect(kept.filter((id) => !ids.has(id))).toEqual([]);
    expect(entries.filter(({ ended }) => ended === undefined)).toEqual([]);
    await store.close();
  });

  it("waits for no answer longer than the limit when packets vanish, and continues when they arrive again", async () => {
    const url = new URL(await server.createDatabase());
    await (await openStore(location(url.href), { readOnly: false })).close();
    const { hostname, port } = url;
    let vanish = false;
    const way = createServer((near) => {
      const far = connect(Number(port), hostname);
      const pass = (from: Socket, to: Socket) => from.on("data", (bytes) => void (vanish || to.write(bytes)));
      pass(near, far);
      pass(far, near);
      for (const [one, other] of [[near, far] as const, [far, near] as const]) {
        one.on("error", () => undefined);
        one.on("close", () => other.destroy());
      }
    }).listen(0, "127.0.0.1");
    await once(way, "listening");
    url.port = String((way.address() as AddressInfo).port);
    const database = new Database(openPostgres(url.href, { readOnly: false, silence: 2_000 }));
    const answer = () => database.read((db) => sql<{ n: number }>`select 1 as n`.execute(db));
    expect((await answer()).rows).toEqual([{ n: 1 }]);
    vanish = true;
    await expect(answer()).rejects.toMatchObject({ code: "store-unreachable" });
    vanish = false;
    expect((await answer()).rows).toEqual([{ n: 1 }]);
    await database.backend.close();
    way.close();
  });

  it("is not blocked by an agent that was cut off during a transaction", async () => {
    const url = await server.createDatabase();
    await (await openStore(location(url), { readOnly: false })).close();
    const cutOff = new Database(openPostgres(url, { readOnly: false, idle: 500 }));
    const other = new Database(openPostgres(url, { readOnly: false }));
    let goOn = (): void => undefined;
    const standing = new Promise<void>((done) => {
      goOn = done;
    });
    const table = sql`create table held (n integer primary key)`;
    await other.read((db) => table.execute(db));
    await other.read((db) => sql`insert into held values (1)`.execute(db));
    let hasLock = (): void => undefined;
    const locked = new Promise<void>((done) => {
      hasLock = done;
    });
    const held = cutOff.backend.db.transaction().execute(async (transaction) => {
      await sql`select n from held where n = 1 for update`.execute(transaction);
      hasLock();
      await standing;
    });
    await locked;
    await other.read((db) => sql`update held set n = 2 where n = 1`.execute(db));
    goOn();
    await expect(held).rejects.toThrow(/connection error|terminated/);
    await Promise.all([cutOff.backend.close(), other.backend.close()]);
  });

  it("shows neither password nor options of its address", async () => {
    const url = await server.createDatabase();
    const password = new URL(url).password;
    const store = await openStore(location(url), { readOnly: false });
    expect(store.place).not.toContain(password);
    await store.close();
    const wrong = url.replace(password, "another-password");
    const refused = await openStore(location(wrong), { readOnly: false }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "store-unreachable" });
    expect(String(refused)).not.toContain("another-password");
    expect(withoutPassword("postgres://u:secret@h/d?password=secret")).toBe("postgres://u@h/d");
  });

  it("can be read by accounts without write permission", async () => {
    const url = await server.createDatabase();
    await (await openStore(location(url), { readOnly: false })).close();
    const reader = await openStore(location(url), { readOnly: true });
    await expect(reader.passes.start(start())).rejects.toThrow(/read-only/);
    expect((await reader.history.find({ limit: 1 })).entries).toEqual([]);
    await reader.close();
  });

  it("does not start with a wrong address", async () => {
    const away = new URL(await server.createDatabase());
    away.pathname = "/nothing-of-that-name";
    await expect(openStore(location(away.href), { readOnly: false })).rejects.toMatchObject({ code: "store-unreachable" });
  });
});
