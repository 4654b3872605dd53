import { expect, it } from "vitest";
import type { AgentEvent } from "../../../src/agent/events.js";
import { noticeStates } from "../../../src/agent/notify/notice-states.js";
import type { ManagedFirewalls } from "../../../src/outcome/managed-firewalls.js";
import { passEnded } from "../events.js";

const late: ManagedFirewalls = { watched: true, rows: [{ serial: "1", by: "device-group/branch", state: "out of sync", connected: true }] };

const ended = (result: "pending" | "applied", firewalls: ManagedFirewalls | undefined): AgentEvent =>
  passEnded(result, { target: "manager", time: 5000, outcome: { target: "manager", kind: "panos", warnings: [], firewalls } });

const titles = (event: AgentEvent) => noticeStates(event).map((state) => JSON.stringify(state));

it("does not report a manager as in sync again while watched firewalls lack a push", () => {
  expect(titles(ended("applied", undefined)).some((title) => title.includes("manager is in sync again"))).toBe(true);
  for (const result of ["pending", "applied"] as const) {
    const told = titles(ended(result, late));
    expect(told.some((title) => title.includes("in sync"))).toBe(false);
    expect(told.some((title) => title.includes("manager can be applied again"))).toBe(true);
  }
});

it("reports long disconnected firewalls once, and their return", () => {
  const away = (serial: string, tooLong = true) => ({
    serial,
    hostname: `fw-${serial}`,
    by: "device-group/branch",
    state: "in sync" as const,
    connected: false,
    away: { since: "2026-01-05T10:00:00.000Z", tooLong },
  });
  const of = (...rows: ManagedFirewalls["rows"]) =>
    noticeStates(ended("pending", { watched: true, rows })).filter((state) => state.audience === "people" && state.notice.topic === "away");
  expect(of(away("1"), away("1"), away("2"), away("3", false))).toMatchObject([
    {
      subject: "away manager",
      state: "1 2",
      isUsual: false,
      notice: {
        title: "manager: 2 firewalls are away for too long",
        lines: ["fw-1 1  not connected since 2026-01-05 10:00 UTC or before, for too long", expect.stringContaining("fw-2 2")],
        since: Date.UTC(2026, 0, 5, 10),
      },
    },
  ]);
  expect(of(away("3", false))).toMatchObject([{ subject: "away manager", state: "none", isUsual: true }]);
  expect(noticeStates(ended("pending", { watched: true, rows: [], failure: "no answer" })).map(({ subject }) => subject)).not.toContain(
    "away manager",
  );
});
