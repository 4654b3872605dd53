import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/agent/store/open.js";
import { storedAbsences } from "../../src/agent/stored-absences.js";
import { afterTest } from "../after-test.js";

it("is known to the next agent of the store, by target", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-absences-"));
  const file = join(folder, "plumbline.db");
  const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
  afterTest(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await storedAbsences(store, () => 5).keep("a", new Map([["1", 3]]));
  const next = storedAbsences(store, () => 6);
  expect(await next.of("a")).toEqual(new Map([["1", 3]]));
  expect(await next.of("b")).toEqual(new Map());
  await next.keep("a", new Map());
  expect(await next.of("a")).toEqual(new Map());
});

it("is unknown if the store does not answer", async () => {
  const gone = () => Promise.reject(new Error("gone"));
  const notifications = { last: gone, all: gone, sent: gone };
  const absences = storedAbsences({ notifications }, () => 5);
  expect(await absences.of("a")).toEqual(new Map());
  await expect(absences.keep("a", new Map())).rejects.toThrow("gone");
});
