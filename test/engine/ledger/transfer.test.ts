import { expect, it } from "vitest";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { StoredLedger } from "../../../src/engine/ledger/stored-ledger.js";
import { forgetLedger, moveLedger } from "../../../src/engine/ledger/transfer.js";
import { MemoryStore } from "./memory-store.js";
import { smallRecord } from "./small-record.js";

const record = (target: string, paths: readonly string[], more: Partial<LedgerRecord> = {}) => ({ ...smallRecord(more), target, paths });

async function world(...records: readonly LedgerRecord[]) {
  const store = new MemoryStore();
  const ledger = new StoredLedger(store);
  for (const each of records) {
    await ledger.read(each.owner, each.target);
    await ledger.write(each);
  }
  const at = (target: string, owner = "o") => ({ ledger, owner, target });
  const pathsOf = async (target: string, owner = "o") => {
    const state = await ledger.read(owner, target);
    return state.state === "present" ? state.record.paths : state.state;
  };
  return { store, ledger, at, pathsOf };
}

it("moves all rows to another target, and leaves an empty ledger", async () => {
  const { ledger, at, pathsOf } = await world(record("old", ["/config/a", "/config/b"], { commit: "c", devices: ["007"] }));
  expect(await moveLedger(at("old"), at("new"))).toBe(2);
  expect([await pathsOf("old"), await pathsOf("new")]).toEqual([[], ["/config/a", "/config/b"]]);
  expect(await ledger.read("o", "new")).toMatchObject({ record: { target: "new", commit: "c", devices: ["007"] } });
  await expect(moveLedger(at("old"), at("new"))).rejects.toMatchObject({ code: "ledger-missing" });
});

it("moves rows to another owner", async () => {
  const { at, pathsOf } = await world(record("t", ["/config/a"]));
  await moveLedger(at("t"), at("t", "other"));
  expect([await pathsOf("t"), await pathsOf("t", "other")]).toEqual([[], ["/config/a"]]);
});

it("refuses a ledger that has other rows, and changes nothing", async () => {
  const { at, pathsOf } = await world(record("old", ["/config/a"]), record("new", ["/config/b"]));
  await expect(moveLedger(at("old"), at("new"))).rejects.toMatchObject({ code: "ledger-exists", severity: "refused" });
  expect([await pathsOf("old"), await pathsOf("new")]).toEqual([["/config/a"], ["/config/b"]]);
});

it("finishes a move that was cut off between its two writes", async () => {
  const { at, pathsOf } = await world(record("old", ["/config/a"]), record("new", ["/config/a"]));
  await moveLedger(at("old"), at("new"));
  expect([await pathsOf("old"), await pathsOf("new")]).toEqual([[], ["/config/a"]]);
});

it("stops if another run writes the ledger at the same time", async () => {
  const { store, at, pathsOf } = await world(record("old", ["/config/a"]));
  const read = store.read.bind(store);
  store.read = async (key) => {
    const found = await read(key);
    if (key.target === "new") {
      const other = new StoredLedger(Object.assign(Object.create(store), { read }));
      await other.read("o", "new");
      await other.write(record("new", ["/config/c"]));
      store.read = read;
    }
    return found;
  };
  await expect(moveLedger(at("old"), at("new"))).rejects.toMatchObject({ code: "ledger-conflict" });
  expect(await pathsOf("old")).toEqual(["/config/a"]);
});

it("does not move or forget a ledger that it cannot read", async () => {
  const { store, at } = await world(record("old", ["/config/a"]));
  store.error = new Error("connection refused");
  await expect(moveLedger(at("old"), at("new"))).rejects.toMatchObject({ code: "ledger-unreadable" });
  await expect(forgetLedger(at("old"))).rejects.toMatchObject({ code: "ledger-unreadable" });
});

it("forgets the rows of a ledger, and keeps the versions of former ledgers", async () => {
  const { ledger, at } = await world(record("t", ["/config/a"], { merged: { git: "v" } }));
  expect(await forgetLedger(at("t"))).toBe(1);
  expect(await ledger.read("o", "t")).toMatchObject({ record: { paths: [], merged: { git: "v" } } });
  await expect(forgetLedger(at("unknown"))).rejects.toMatchObject({ code: "ledger-missing" });
});
