import { describe, expect, it } from "vitest";
import { dueWavesOf, pushWavesOf } from "../../../src/engine/pass/push-order.js";
import type { ManagedFirewall } from "../../../src/outcome/managed-firewalls.js";

const row = (serial: string, state: ManagedFirewall["state"] = "out of sync", connected = true): ManagedFirewall => ({
  serial,
  by: "device-group/a",
  state,
  connected,
});
const settings = (rollout: Partial<{ canary: string[]; batch: number; apart: string[][] }> = {}) => ({
  validate: true,
  timeout: 1,
  rollout: { canary: [], batch: undefined, apart: [], ...rollout },
});
const serials = (waves: readonly { readonly serials: readonly string[]; readonly canary: boolean }[]) =>
  waves.map((wave) => `${wave.serials.join("")}${wave.canary ? "!" : ""}`);

describe("the waves of a push", () => {
  it("are one where nothing is said, each firewall once", () => {
    expect(serials(pushWavesOf([row("2"), row("1"), row("2", "in sync")], settings()))).toEqual(["12"]);
  });

  it("are canaries, then batches, no two of a group together", () => {
    const rows = ["1", "2", "3", "4", "5"].map((serial) => row(serial));
    expect(serials(pushWavesOf(rows, settings({ canary: ["4", "9"], batch: 2, apart: [["1", "2"]] })))).toEqual(["4!", "13", "25"]);
  });

  it("are the same whoever is in sync already or away", () => {
    const rows = [row("1", "in sync"), row("2"), row("3", "unknown", false)];
    expect(serials(pushWavesOf(rows, settings({ batch: 1 })))).toEqual(["1", "2", "3"]);
  });
});

describe("what is due of them", () => {
  const due = (rows: readonly ManagedFirewall[], canary: string[] = ["1"]) =>
    dueWavesOf(rows, pushWavesOf(rows, settings({ canary, batch: 1 }))).map(
      (wave) => `${wave.number}: ${wave.rows.map(({ serial }) => serial).join("")}`,
    );

  it("is what lacks it and is connected", () => {
    expect(due([row("1"), row("2", "in sync"), row("3"), row("4", "out of sync", false), row("5", "unknown")])).toEqual(["1: 1", "3: 3"]);
  });

  it.each([
    ["away", row("1", "out of sync", false)],
    ["not known to be in sync", row("1", "unknown")],
  ])("is nothing behind a canary that is %s", (_, canary) => {
    expect(due([canary, row("2")])).toEqual([]);
    expect(due([canary, row("0"), row("2")], ["0", "1"])).toEqual(["1: 0"]);
  });

  it("is what comes behind a canary that has it, be it away since", () => {
    expect(due([row("1", "in sync", false), row("2")])).toEqual(["2: 2"]);
  });
});
