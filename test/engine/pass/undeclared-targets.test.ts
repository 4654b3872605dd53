import { expect, it } from "vitest";
import type { TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import type { LedgerState } from "../../../src/engine/ledger/ledger.js";
import { departedTargets, ownsOn } from "../../../src/engine/pass/undeclared-targets.js";
import { smallRecord } from "../ledger/small-record.js";

it.each([
  ["what a ledger owns", { paths: ["/a"] }, true],
  ["what a push has still to take from firewalls", { undelivered: ["/a"] }, true],
  ["a ledger of nothing", {}, false],
])("a target of which no document speaks is worked on for %s: %s", async (_, more, isOwned) => {
  const state: LedgerState = { state: "present", record: { ...smallRecord({ paths: [] }), ...more } };
  expect(await ownsOn({ read: async () => state }, "us", "edge")).toBe(isOwned);
});

it("warns of each target that has objects and is not in the configuration", async () => {
  const ledgers: Record<string, LedgerState> = {
    edge: { state: "present", record: smallRecord({ paths: ["/a"] }) },
    berlin: { state: "present", record: smallRecord({ paths: ["/a", "/b"] }) },
    empty: { state: "present", record: smallRecord({ paths: [] }) },
    owing: { state: "present", record: { ...smallRecord({ paths: [] }), undelivered: ["/a"] } },
    broken: { state: "unreadable", reason: "no JSON" },
    gone: { state: "missing" },
  };
  const configuration = { owner: "us", targets: new Map([["edge", {} as TargetConfiguration]]) };
  const read = async (_owner: string, target: string) => ledgers[target] ?? { state: "missing" as const };
  const warnings = await departedTargets(configuration, { read }, { targets: async () => Object.keys(ledgers) });
  const next = "See plumbline ledger rename and forget.";
  expect(warnings).toEqual([
    `target berlin left the configuration; 2 managed paths stay on the device. ${next}`,
    `target owing left the configuration; committed deletions that firewalls do not have yet: 1. ${next}`,
    `target broken left the configuration; its ledger cannot be read (no JSON). ${next}`,
  ]);
});
