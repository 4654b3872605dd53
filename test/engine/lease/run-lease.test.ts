import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { openStore } from "../../../src/agent/store/open.js";
import type { Store } from "../../../src/agent/store/store.js";
import { SecretValue } from "../../../src/core/secret.js";
import { BundleStore } from "../../../src/engine/ledger/bundle-store.js";
import { fileDocument } from "../../../src/engine/ledger/document.js";
import { FolderStore } from "../../../src/engine/ledger/folder-store.js";
import type { LedgerStore } from "../../../src/engine/ledger/store.js";
import { afterTest } from "../../after-test.js";
import { startPostgres, type TestPostgres } from "../../agent/store/postgres.js";
import { folder, leaseCases, type Place } from "./lease-cases.js";

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

async function onPostgres(): Promise<() => Promise<LedgerStore>> {
  if (server === undefined) throw new Error("PostgreSQL does not run");
  const url = new SecretValue(await server.createDatabase(), "${env:DATABASE_URL}");
  const stores: Store[] = [];
  afterTest(async () => {
    for (const store of stores) await store.close();
  });
  return async () => {
    const store = await openStore({ kind: "postgres", url }, { readOnly: false });
    stores.push(store);
    return store.ledgers;
  };
}

/** git has a file of its own: each look of a run starts two programs. */
const PLACES: Readonly<Record<string, Place>> = {
  "a folder": async () => {
    const at = folder();
    return () => new FolderStore(at);
  },
  "a file": async () => {
    const at = join(folder(), "ledgers.json");
    return () => new BundleStore(fileDocument(at));
  },
  PostgreSQL: onPostgres,
};

describe.each(Object.entries(PLACES))("a lease in %s", (name, open) => leaseCases(open, name === "PostgreSQL"));
