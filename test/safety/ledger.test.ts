import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { addresses, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

const WANTED = { a: "10.0.0.1", b: "10.0.0.2" };
const ledgerFile = (world: World): string => join(world.folder, "ledger.json");
const text = (world: World): string => readFileSync(ledgerFile(world), "utf8");

describe("a ledger that a later version wrote", () => {
  it("is never written over: not by a reconcile, and not by adopt", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await world.reconcile();
    const newer = text(world).replaceAll(/\\"format\\": *\d+/g, '\\"format\\": 99');
    expect(newer).not.toBe(text(world));
    writeFileSync(ledgerFile(world), newer);
    world.want(addresses({ a: "10.0.0.9" }));
    const [planned, reconciled, adopted] = [await world.plan(), await world.reconcile(), await world.adopt()];
    expect(planned.plan?.deletionsUnknown).toBe(true);
    expect([reconciled.error, adopted.error]).toMatchObject([{ code: "ledger-newer" }, { code: "ledger-newer" }]);
    expect([reconciled, adopted].map(({ error }) => error?.next)).toEqual([
      expect.stringContaining("Upgrade this runner. Do not adopt"),
      expect.stringContaining("Upgrade this runner. Do not adopt"),
    ]);
    expect(exitCode([reconciled])).toBe(3);
    expect(text(world)).toBe(newer);
  });

  it("is as safe in a file of ledgers of a later format", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await world.reconcile();
    const newer = text(world).replace('"format": 1', '"format": 7');
    writeFileSync(ledgerFile(world), newer);
    world.want(addresses({ a: "10.0.0.9" }));
    expect((await world.adopt()).error).toMatchObject({ code: "ledger-newer" });
    expect((await world.reconcile()).error).toMatchObject({ code: "ledger-newer" });
    expect(text(world)).toBe(newer);
  });
});
