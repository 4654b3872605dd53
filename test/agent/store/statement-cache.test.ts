import { expect, it } from "vitest";
import { StatementCache } from "../../../src/agent/store/statement-cache.js";

function connection(inTransaction = false) {
  const prepared: string[] = [];
  const statement = { reader: true, all: () => [], run: () => ({ changes: 1, lastInsertRowid: 1 }), iterate: () => [][Symbol.iterator]() };
  const prepare = (sql: string) => {
    prepared.push(sql);
    return { ...statement };
  };
  return { prepared, inTransaction, prepare, close: () => undefined };
}

it("prepares each text once, and drops unused ones", () => {
  const database = connection();
  const cache = new StatementCache(database);
  const first = cache.prepare("select 1");
  for (let i = 0; i < 1_000; i++) {
    cache.prepare(`select ${i}, 2`);
    expect(cache.prepare("select 1")).toBe(first);
  }
  expect(database.prepared).toHaveLength(1_001);
  cache.prepare("select 0, 2");
  expect(database.prepared).toHaveLength(1_002);
});

it("starts transactions with the lock, and rolls back only existing ones", () => {
  const database = connection(false);
  const cache = new StatementCache(database);
  cache.prepare("begin");
  cache.prepare("rollback").run([]);
  expect(database.prepared).toEqual(["begin immediate"]);
  const within = connection(true);
  new StatementCache(within).prepare("rollback");
  expect(within.prepared).toEqual(["rollback"]);
});
