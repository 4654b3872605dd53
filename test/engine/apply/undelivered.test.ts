import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setConnected } from "../../../src/lab/panos/manager/push.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { marksOf } from "../../simulation/manager-standing.js";
import { killer, ManagedWorld } from "./managed-world.js";

/** All firewalls have the former declarations of the group above `a` and `b`, which are no longer declared. Other groups keep theirs. */
async function emptied(): Promise<ManagedWorld> {
  const world = await ManagedWorld.start();
  world.write("plants", "device-group/plants", "{ tag: { p: { comments: ours } } }");
  world.want("theirs-1");
  expect(exitCode([await world.reconcile()])).toBe(0);
  rmSync(join(world.folder, "manager/all.yaml"));
  world.allow = new Map([["empty-list", "1"]]);
  return world;
}

const said = ({ error, firewalls }: TargetOutcome) => [
  error?.code,
  ...(firewalls?.rows.flatMap(({ state, serial }) => (state === "in sync" ? [] : [serial])) ?? []),
];
const ledgerOf = ({ folder }: ManagedWorld) => join(folder, "ledger.json");
const undelivered = (world: ManagedWorld) => /undelivered(.*?)\]\\n/.exec(readFileSync(ledgerOf(world), "utf8"))?.[1];
const stillHave = (world: ManagedWorld) => ["a", "b"].filter((name) => marksOf(world.device(name)).size > 0);

describe("content that documents no longer declare", () => {
  it('is removed from a reconnected firewall by any run, and no run reports "in sync" before', async () => {
    const world = await emptied();
    setConnected(world.device("b"), false);
    for (const state of ["state", "state", "elsewhere"]) {
      const outcome = await world.reconcile(undefined, undefined, state);
      expect([exitCode([outcome]), ...said(outcome)]).toEqual([2, undefined, SERIALS.b]);
    }
    expect(undelivered(world)).toContain("entry[@name='offices']/tag");
    const plan = await world.plan();
    expect([exitCode([plan]), ...said(plan)]).toEqual([2, undefined, SERIALS.b]);
    expect(stillHave(world)).toEqual(["b"]);
    setConnected(world.device("b"), true);
    const back = await world.reconcile(undefined, undefined, "elsewhere");
    expect([exitCode([back]), ...said(back), ...stillHave(world)]).toEqual([0, undefined]);
    expect(world.pushes.slice(-4)).toEqual(["validate a", "push a", "validate b", "push b"]);
    expect(undelivered(world)).toBeUndefined();
  });

  it("is removed by the run after a killed one, and after a firewall that failed", async () => {
    const world = await emptied();
    await world.reconcile(killer("before", "push-wait"));
    const { attachment } = world.device("a");
    if (attachment === undefined) throw new Error("no attachment");
    attachment.trouble = { kind: "fails", lines: ["Commit failed"] };
    for (let run = 0; run < 2; run++) expect((await world.reconcile()).error?.code).toBe("push-refused");
    attachment.trouble = undefined;
    const last = await world.reconcile();
    expect([exitCode([last]), ...said(last), ...stillHave(world)]).toEqual([0, undefined]);
  });

  it("is remembered if another run records it during the pass", async () => {
    const world = await emptied();
    setConnected(world.device("b"), false);
    await world.reconcile();
    setConnected(world.device("b"), true);
    const theirs = readFileSync(ledgerOf(world), "utf8").replace("offices']/tag", "offices']/address");
    const outcome = await world.reconcile({
      before: () => undefined,
      after: (step) => (step === "push" ? writeFileSync(ledgerOf(world), theirs) : undefined),
    });
    expect([exitCode([outcome]), ...said(outcome), ...stillHave(world)]).toEqual([0, undefined]);
    expect(undelivered(world)).toContain("offices']/address");
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(undelivered(world)).toBeUndefined();
  });

  it("is remembered by a run with a path", async () => {
    const world = await emptied();
    setConnected(world.device("b"), false);
    await world.reconcile();
    const before = undelivered(world);
    world.only = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='plants']";
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect([before, undelivered(world)]).toEqual([expect.stringContaining("offices"), before]);
  });

  it("is not tracked without a push", async () => {
    const world = await ManagedWorld.start("{}");
    world.configure(undefined);
    world.write("plants", "device-group/plants", "{ tag: { p: { comments: ours } } }");
    world.want("theirs-1");
    await world.reconcile();
    rmSync(join(world.folder, "manager/all.yaml"));
    world.allow = new Map([["empty-list", "1"]]);
    const outcome = await world.reconcile();
    expect([outcome.error, undelivered(world)]).toEqual([undefined, undefined]);
  });
});
