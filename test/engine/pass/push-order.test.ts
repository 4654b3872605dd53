import { describe, expect, it } from "vitest";
import { approvedWavesOf, dueWavesOf, pushWavesOf } from "../../../src/engine/pass/push-order.js";
import type { ManagedFirewall } from "../../../src/outcome/managed-firewalls.js";

const row = (serial: string, state: ManagedFirewall["state"] = "out of sync", connected = true): ManagedFirewall => ({
  serial,
  by: "device-group/a",
  state,
  connected,
});
const settings = (rollout: Partial<{ canary: string[]; batch: number; apart: string[][] }> = {}) => ({
  validate: true,
  arrival: "firewall" as const,
  others: "refuse" as const,
  timeout: 1,
  rollout: { canary: [], batch: undefined, apart: [], ...rollout },
});
const serials = (waves: readonly { readonly serials: readonly string[]; readonly canary: boolean }[]) =>
  waves.map((wave) => `${wave.serials.join("")}${wave.canary ? "!" : ""}`);

describe("the waves of a push", () => {
  it("are one by default, with each firewall once", () => {
    expect(serials(pushWavesOf([row("2"), row("1"), row("2", "in sync")], settings()))).toEqual(["12"]);
  });

  it("are canaries, then batches, with no two of a group together", () => {
    const rows = ["1", "2", "3", "4", "5"].map((serial) => row(serial));
    expect(serials(pushWavesOf(rows, settings({ canary: ["4", "9"], batch: 2, apart: [["1", "2"]] })))).toEqual(["4!", "13", "25"]);
  });

  it("do not depend on synced or disconnected firewalls", () => {
    const rows = [row("1", "in sync"), row("2"), row("3", "unknown", false)];
    expect(serials(pushWavesOf(rows, settings({ batch: 1 })))).toEqual(["1", "2", "3"]);
  });
});

describe("pairs", () => {
  const half = (serial: string, state: string, peer: string) => ({ ...row(serial), ha: { state, peer } });
  const order = (rows: readonly ManagedFirewall[], rollout: Partial<{ canary: string[]; batch: number }> = {}) =>
    serials(pushWavesOf(rows, settings(rollout)));

  it.each([
    ["both tell", [half("1", "active", "2"), half("2", "passive", "1")], ["2", "1"]],
    ["the passive one is away and tells nothing", [half("1", "active", "2"), row("2")], ["2", "1"]],
    ["the active one is away and tells nothing", [row("1"), half("2", "passive", "1")], ["1", "2"]],
    ["both carry traffic", [half("1", "active-primary", "2"), half("2", "active-secondary", "1")], ["2", "1"]],
    ["nobody knows", [half("1", "tentative", "2"), half("2", "initial", "1")], ["1", "2"]],
    ["it is its own peer", [half("1", "active", "1"), row("2")], ["12"]],
    ["the other is not reached", [half("1", "active", "9"), row("2")], ["12"]],
  ])("are apart where %s", (_, rows, waves) => {
    expect(order(rows)).toEqual(waves);
  });

  it("share waves with others, and keep batches full", () => {
    const rows = [half("1", "active", "2"), half("2", "passive", "1"), half("3", "active", "4"), half("4", "passive", "3"), row("5")];
    expect(order(rows, { batch: 2 })).toEqual(["24", "13", "5"]);
  });

  it("are approved for either active member", () => {
    const before = [half("1", "active", "2"), half("2", "passive", "1")];
    const after = [half("1", "passive", "2"), half("2", "active", "1")];
    expect(approvedWavesOf(before, settings())).toEqual(approvedWavesOf(after, settings()));
  });
});

describe("due firewalls", () => {
  const due = (rows: readonly ManagedFirewall[], canary: string[] = ["1"]) =>
    dueWavesOf(rows, pushWavesOf(rows, settings({ canary, batch: 1 }))).map(
      (wave) => `${wave.number}: ${wave.rows.map(({ serial }) => serial).join("")}`,
    );

  it("lack the change and are connected", () => {
    expect(due([row("1"), row("2", "in sync"), row("3"), row("4", "out of sync", false), row("5", "unknown")])).toEqual(["1: 1", "3: 3"]);
  });

  it.each([
    ["away", row("1", "out of sync", false)],
    ["not known to be in sync", row("1", "unknown")],
  ])("is nothing behind a canary that is %s", (_, canary) => {
    expect(due([canary, row("2")])).toEqual([]);
    expect(due([canary, row("0"), row("2")], ["0", "1"])).toEqual(["1: 0"]);
  });

  it("come after a canary that has it, even if it disconnected since", () => {
    expect(due([row("1", "in sync", false), row("2")])).toEqual(["2: 2"]);
  });
});
