import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/agent/events.js";
import { newRow, rememberedPass, rememberedRow, rowAfter } from "../../../src/agent/page/fleet-row.js";
import type { HistoryEntry } from "../../../src/outcome/history.js";
import type { ManagedFirewalls } from "../../../src/outcome/managed-firewalls.js";
import { passEnded } from "../events.js";

const row = newRow("manager", { kind: "panos", mode: "enforce" });
const late: ManagedFirewalls = { watched: true, rows: [{ serial: "1", by: "device-group/branch", state: "out of sync", connected: true }] };

const ended = (result: "in-sync" | "pending" | "applied", firewalls: ManagedFirewalls | undefined): AgentEvent =>
  passEnded(result, { target: "manager", time: 5000, outcome: { target: "manager", kind: "panos", warnings: [], firewalls } });

describe("a manager's row", () => {
  it.each(["pending", "applied"] as const)("is pending while watched firewalls lack a push, after a pass that is %s", (result) => {
    expect(rowAfter(row, ended(result, late))).toMatchObject({ state: "pending", note: "1 of 1 firewall not in sync", since: 5 });
  });

  it("is in sync if its firewalls are, or are not watched", () => {
    const pending = rowAfter(row, ended("pending", late));
    expect(rowAfter(pending, ended("in-sync", undefined))).toMatchObject({ state: "in-sync", note: "" });
    expect(rowAfter(pending, ended("in-sync", { ...late, watched: false }))).toMatchObject({ state: "in-sync" });
  });

  it.each(["pending", "applied"])("is pending after a stored pass that was %s", (outcome) => {
    const latest = { outcome, at: 1000, detail: { behind: "1 of 1 firewall not in sync" }, summary: "" } as unknown as Parameters<
      typeof rememberedRow
    >[1];
    expect(rememberedRow(row, latest, undefined)).toMatchObject({ state: "pending", note: "1 of 1 firewall not in sync" });
  });
});

it("is pending after a heal while its commit waits in a roll-out, also in a new process", () => {
  const waiting = { changes: 2, held: "rollout" } as const;
  const live = rowAfter(row, passEnded("applied", { target: "manager", time: 5000, waiting }));
  const latest = { outcome: "applied", at: 1000, detail: { waiting }, summary: "" } as unknown as HistoryEntry;
  expect(live).toMatchObject({ state: "pending", pending: 2 });
  expect(rememberedRow(row, latest, undefined)).toMatchObject({ state: "pending", pending: 2 });
  expect(rememberedPass(latest)).toEqual({ isEqual: false, pending: 2 });
});
