import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/agent/events.js";
import { Fleet } from "../../src/agent/page/fleet.js";
import { unpackRow } from "../../src/agent/page/fleet-row.js";
import { AgentWorld } from "../agent/world.js";

const MINUTE = 60_000;

/** An agent has applied the first commit. Its ledger is in its store. */
async function applied(): Promise<AgentWorld> {
  const world = await AgentWorld.startForTest();
  world.write("plumbline.yaml", `${world.read("plumbline.yaml")}ledger: store\n`);
  world.push("the ledger is in the store");
  await world.run();
  await world.event("applied");
  await world.settle();
  return world;
}

/** The ledger cannot be read until the returned function is called. */
function ledgerIsAway(world: AgentWorld): () => void {
  let isAway = true;
  const { ledgers } = world.store ?? {};
  if (ledgers === undefined) throw new Error("no store");
  const read = ledgers.read.bind(ledgers);
  ledgers.read = async (key) => {
    if (isAway) throw new Error("no answer");
    return await read(key);
  };
  return () => {
    isAway = false;
  };
}

/** Another process, which has not read the ledger yet. */
async function restarted(world: AgentWorld): Promise<() => void> {
  await world.end();
  let back = (): void => undefined;
  world.wrap = (writers) => {
    back = ledgerIsAway(world);
    return writers;
  };
  await world.run();
  return () => back();
}

const driftIn = (events: readonly AgentEvent[]) => events.filter(({ type }) => type.startsWith("drift-"));

async function pageRow(world: AgentWorld) {
  const { store, open } = world;
  if (store === undefined || open === undefined) throw new Error("not open");
  const controls = { ...open.controls, source: open.source, folder: () => "", hasAudit: () => false };
  const fleet = new Fleet({ store, controls: controls as never, now: () => world.clock.now() });
  const [row] = (await fleet.view()).rows;
  return row && unpackRow(row);
}

describe("while the ledger cannot be read", () => {
  it("an agent that has not read it before reports the changes of a commit as not known, not as drift", async () => {
    const world = await applied();
    const back = await restarted(world);
    await world.event("pass-ended");
    const from = world.events.length;
    world.want("edge", { a: "10.0.0.2", b: "10.0.0.3" });
    world.push("a changes, b is new");
    const { outcome } = await world.after(6 * MINUTE, "pass-ended", ({ outcome: found }) => (found?.drift?.items.length ?? 0) > 0);
    expect(outcome?.drift?.items.map(({ isCauseUnknown, attribution }) => [isCauseUnknown, attribution])).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
    await world.settle();
    expect(driftIn(world.events.slice(from))).toEqual([]);
    expect(world.events.slice(from).filter(({ type }) => type === "held")).toMatchObject([{ reason: "ledger" }]);
    expect(await world.store?.drift.open()).toEqual([]);
    expect(await pageRow(world)).toMatchObject({ state: "pending", drifts: 0, who: "" });
    back();
    await world.after(20 * MINUTE, "applied");
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.2", b: "10.0.0.3" });
  });

  it("keeps the drift that is already known, and finds no end of it", async () => {
    const world = await applied();
    world.configure("", "mode: propose");
    world.write("plumbline.yaml", `${world.read("plumbline.yaml")}ledger: store\n`);
    world.push("propose");
    await world.after(6 * MINUTE, "commit-in-force");
    await world.settle();
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-appeared");
    await world.settle();
    const from = world.events.length;
    const back = await restarted(world);
    await world.event("pass-ended", ({ outcome }) => outcome?.drift !== undefined, from);
    await world.settle();
    expect(driftIn(world.events.slice(from))).toEqual([]);
    expect(await world.store?.drift.open()).toMatchObject([{ author: "alice" }]);
    expect(await pageRow(world)).toMatchObject({ state: "drifted", drifts: 1, who: "alice" });
    world.meddle("a", "10.0.0.1");
    await world.after(20 * MINUTE, "pass-ended", ({ outcome }) => outcome?.drift !== undefined);
    await world.settle();
    expect(await world.store?.drift.open()).toHaveLength(1);
    back();
    await world.after(20 * MINUTE, "pass-ended", ({ result }) => result === "in-sync");
    expect(await world.store?.drift.open()).toEqual([]);
  });

  it("an agent that has read it before reports changes by other people, and not those by its own account, which another agent may have made", async () => {
    const world = await applied();
    ledgerIsAway(world);
    const own = world.device();
    const element = "<ip-netmask>10.0.0.7</ip-netmask>";
    own.act("netops", { type: "config", action: "set", xpath: world.addressPath("a"), element });
    own.act("netops", { type: "commit", cmd: "<commit><description>a newer commit</description></commit>" });
    const { drift, result } = await world.after(20 * MINUTE, "pass-ended", ({ outcome }) => outcome?.drift !== undefined);
    expect([drift, result]).toEqual([[], "pending"]);
    world.meddle("a", "10.9.9.9");
    const seen = await world.after(20 * MINUTE, "pass-ended", ({ outcome }) => outcome?.drift !== undefined);
    expect(seen.drift.map(({ item }) => item.attribution?.admin)).toEqual(["alice"]);
  });
});
