import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import type { StoreLocation } from "../../../src/agent/store/location.js";
import { openStore } from "../../../src/agent/store/open.js";
import type { Store } from "../../../src/agent/store/store.js";
import { SecretValue } from "../../../src/core/secret.js";
import { startPostgres, type TestPostgres } from "./postgres.js";

export interface TestDatabase {
  /** An empty place for a store. */
  fresh(): Promise<StoreLocation>;
  /** Opened for writing, closed after the test. */
  open(location: StoreLocation, repository?: string): Promise<Store>;
  /** A store in a fresh place. */
  store(): Promise<Store>;
}

/** Runs the same tests on SQLite and on PostgreSQL. */
export function onEachDatabase(name: string, tests: (database: TestDatabase) => void): void {
  describe(`${name}, on SQLite`, () => {
    const folders: string[] = [];
    afterAll(() => folders.forEach((folder) => void rmSync(folder, { recursive: true })));
    tests(
      testDatabase(async () => {
        const folder = mkdtempSync(join(tmpdir(), "plumbline-store-"));
        folders.push(folder);
        return { kind: "sqlite", file: join(folder, "plumbline.db") };
      }),
    );
  });
  describe(`${name}, on PostgreSQL`, () => {
    let server: TestPostgres | undefined;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.stop());
    tests(
      testDatabase(async () => {
        if (server === undefined) throw new Error("PostgreSQL does not run");
        return { kind: "postgres", url: new SecretValue(await server.createDatabase(), "${env:DATABASE_URL}") };
      }),
    );
  });
}

function testDatabase(fresh: () => Promise<StoreLocation>): TestDatabase {
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  const open = async (location: StoreLocation, repository?: string) => {
    const store = await openStore(location, { readOnly: false, repository });
    stores.push(store);
    return store;
  };
  return { fresh, open, store: async () => open(await fresh()) };
}
