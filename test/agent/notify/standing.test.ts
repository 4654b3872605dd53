import { expect, it } from "vitest";
import type { AgentEvent } from "../../../src/agent/events.js";
import { standingOf } from "../../../src/agent/notify/standing.js";
import type { ManagedFirewalls } from "../../../src/outcome/managed-firewalls.js";
import { passEnded } from "../events.js";

const late: ManagedFirewalls = { watched: true, rows: [{ serial: "1", by: "device-group/branch", state: "out of sync", connected: true }] };

const ended = (result: "pending" | "applied", firewalls: ManagedFirewalls | undefined): AgentEvent =>
  passEnded(result, { target: "manager", time: 5000, outcome: { target: "manager", kind: "panos", warnings: [], firewalls } });

const titles = (event: AgentEvent) => standingOf(event).map((state) => JSON.stringify(state));

it("tells nobody that a manager is in sync again while watched firewalls lack a push", () => {
  expect(titles(ended("applied", undefined)).some((title) => title.includes("manager is in sync again"))).toBe(true);
  for (const result of ["pending", "applied"] as const) {
    const told = titles(ended(result, late));
    expect(told.some((title) => title.includes("in sync"))).toBe(false);
    expect(told.some((title) => title.includes("manager can be applied again"))).toBe(true);
  }
});
