import { expect, it } from "vitest";
import { decodeRecord, encodeRecord } from "../../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import type { OpenWatch } from "../../../src/engine/watch/open-watch.js";

const tries = { timeout: 5, attempts: 3 };
const WATCH_BEFORE = { commit: "bad", added: ["/config/a"], adopted: [], secrets: { "/config/s": { plain: "p", stored: "s" } } };
const WATCH: OpenWatch = {
  run: "20260101T000000Z-a1-7-beef",
  digest: "d1",
  commit: undefined,
  operations: "o1",
  checks: {
    watches: [{ type: "traffic", query: undefined, threshold: 2, minutes: 5 }],
    probes: [
      { kind: "tcp", host: "h", port: 443, ...tries },
      { kind: "http", url: "https://h/", status: 200, ...tries },
      { kind: "dns", name: "n", server: "192.0.2.53", expect: undefined, ...tries },
    ],
  },
  snapshot: "plumbline-before-d1",
  written: [
    { kind: "node", at: "/config/a", after: "absent" },
    { kind: "place", at: "/config/b", behind: "" },
    { kind: "rename", at: "/config/c", from: "old" },
  ],
  description: "plumbline r d1",
  asked: "2026/01/05 08:00:00",
  since: "2026/01/05 08:00:20",
  baseline: [0],
  before: WATCH_BEFORE,
  tripped: "too many",
};
const RECORD: LedgerRecord = {
  owner: "netops",
  target: "edge",
  commit: "c0ffee",
  paths: ["/config/a"],
  adopted: [],
  secrets: {},
  watch: WATCH,
  refused: { commit: "bad", operations: "o1", why: "too many" },
};

it("a watch and a refused commit are read back completely", () => {
  const decoded = decodeRecord(encodeRecord(RECORD));
  expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(RECORD)));
});

it("so are messages, probes that failed before, and earlier rows", () => {
  const watch = {
    ...WATCH,
    wish: { "/config/a": "w" },
    failedBefore: [1],
    before: { ...WATCH.before, rows: { "/config/a": { came: "made" as const } } },
  };
  const decoded = decodeRecord(encodeRecord({ ...RECORD, watch })).watch;
  expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(watch)));
});

it.each<[string, object, string]>([
  ["a list of what was written that is none", { written: {} }, "watch.written is not a list"],
  ["a written row that is none", { written: ["/config/a"] }, "a written row is malformed"],
  ["checks that are none", { checks: [] }, "watch.checks is malformed"],
  ["watches that are none", { checks: { watches: {}, probes: [] } }, "watch.checks.watches is not a list"],
  ["a watch that is none", { checks: { watches: [1], probes: [] } }, "a watch is malformed"],
  ["probes that are none", { checks: { watches: [], probes: "tcp" } }, "watch.checks.probes is not a list"],
  ["a probe that is none", { checks: { watches: [], probes: [null] } }, "a probe is malformed"],
  ["a state before that is none", { before: [] }, "watch.before is malformed"],
  ["a row before that names a run by number", { before: { ...WATCH_BEFORE, rows: { "/a": { by: 0 } } } }, "a row names no writer"],
])("%s makes the record unreadable", (_, fields, message) => {
  const text = encodeRecord(RECORD);
  const value = JSON.parse(text) as { watch: object };
  expect(() => decodeRecord(JSON.stringify({ ...value, watch: { ...value.watch, ...fields } }))).toThrow(message);
});

it.each([
  ['"kind": "place"', '"kind": "other"'],
  ['"threshold": 2', '"threshold": "2"'],
  ['"asked"', '"aksed"'],
  ['"kind": "tcp"', '"kind": "icmp"'],
])("a record where %s is %s is unreadable, not empty", (found, instead) => {
  const text = encodeRecord(RECORD);
  expect(text).toContain(found);
  expect(() => decodeRecord(text.replace(found, instead))).toThrow();
});
