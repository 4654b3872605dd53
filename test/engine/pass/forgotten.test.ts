import { expect, it } from "vitest";
import type { LedgerState } from "../../../src/engine/ledger.js";
import { ownsOn } from "../../../src/engine/pass/forgotten.js";
import { smallRecord } from "../ledger/small-record.js";

it.each([
  ["what a ledger owns", { paths: ["/a"] }, true],
  ["what a push has still to take from firewalls", { undelivered: ["/a"] }, true],
  ["a ledger of nothing", {}, false],
])("a target of which no document speaks is worked on for %s: %s", async (_, more, isOwned) => {
  const state: LedgerState = { state: "present", record: { ...smallRecord({ paths: [] }), ...more } };
  expect(await ownsOn({ read: async () => state }, "us", "edge")).toBe(isOwned);
});
