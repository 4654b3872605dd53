import { expect, it } from "vitest";
import { decodeRecord, encodeRecord } from "../../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../../src/engine/ledger.js";

const tries = { timeout: 5, attempts: 3 };
const RECORD: LedgerRecord = {
  owner: "netops",
  target: "edge",
  commit: "c0ffee",
  paths: ["/config/a"],
  adopted: [],
  secrets: {},
  watch: {
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
    before: { commit: "bad", added: ["/config/a"], adopted: [], secrets: { "/config/s": { plain: "p", stored: "s" } } },
    tripped: "too many",
  },
  refused: { commit: "bad", operations: "o1", why: "too many" },
};

it("a watch and a refused commit come back whole", () => {
  const decoded = decodeRecord(encodeRecord(RECORD));
  expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(RECORD)));
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
