import { expect, it } from "vitest";
import type { AgentEvent } from "../../../src/agent/events.js";
import { defineMetrics } from "../../../src/agent/metrics/definitions.js";
import { MetricsListener } from "../../../src/agent/metrics/listener.js";
import type { ManagedFirewall, ManagedFirewalls } from "../../../src/outcome/managed-firewalls.js";

const row = (serial: string, state: ManagedFirewall["state"], connected = true): ManagedFirewall => ({
  serial,
  by: "device-group/a",
  state,
  connected,
});

const ended = (firewalls: ManagedFirewalls | undefined): AgentEvent => ({
  type: "pass-ended",
  target: "manager",
  pass: 1,
  commit: "c1",
  trigger: "git",
  time: 5000,
  result: "pending",
  milliseconds: 1,
  outcome: { target: "manager", kind: "panos", warnings: [], firewalls },
  drift: [],
});

it("counts each firewall of a manager once, by its worst state, until the manager is removed", async () => {
  const metrics = defineMetrics();
  const listener = new MetricsListener(metrics);
  const handed = { state: "differs" as const, differences: [], more: 1 };
  const own = { serial: "1", xpath: "/config", words: "" };
  const inTheWay = [
    { ...own, kind: "override" as const },
    { ...own, serial: "2", kind: "uncommitted" as const },
  ];
  const overdue = { ...row("2", "unknown", false), away: { since: undefined, tooLong: true } };
  const rows = [row("1", "in sync"), row("1", "out of sync"), overdue, row("3", "in sync"), { ...row("3", "in sync"), handed }];
  const values = async () => (await metrics.managed.get()).values.map(({ labels, value }) => `${labels.state} ${value}`);
  listener.listen(ended({ watched: false, rows, inTheWay }));
  expect(await values()).toEqual(["in sync 1", "out of sync 1", "unknown 1", "away 1", "overdue 1", "unlike 1", "obstructed 1"]);
  listener.listen(ended({ watched: false, rows: [], failure: "no answer" }));
  listener.listen(ended(undefined));
  expect(await values()).toEqual(["in sync 1", "out of sync 1", "unknown 1", "away 1", "overdue 1", "unlike 1", "obstructed 1"]);
  await listener.keepOnly(new Set());
  expect(await values()).toEqual([]);
});
