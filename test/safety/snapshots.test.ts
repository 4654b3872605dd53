import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TreeNode } from "../../src/core/tree/node.js";
import type { StepName, StepObserver } from "../../src/engine/apply/steps.js";
import { decodeRecord } from "../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../src/engine/ledger/ledger.js";
import type { ProbeNetwork } from "../../src/engine/watch/probe-network.js";
import { lookedAt } from "../engine/apply/rewired.js";
import { addresses, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

const FIRST = { a: "10.0.0.1" };
const SECOND = { a: "10.0.0.9" };
const PROBE = "probe:\n  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }\n";
const watched = (wanted: Record<string, string>) => addresses(wanted).replace("config:\n", `${PROBE}config:\n`);
const saved = (world: World) => [...world.device.saved.keys()];
const OURS = /^plumbline-before-[0-9a-f]{12}$/;

function reachable(tcp: () => Promise<void>): ProbeNetwork {
  return { tcp, http: async () => 200, dns: async () => [] };
}

const UP = reachable(async () => undefined);

function recordIn(world: World): LedgerRecord {
  const { ledgers } = JSON.parse(readFileSync(join(world.folder, "ledger.json"), "utf8")) as {
    ledgers: Record<string, Record<string, string>>;
  };
  return decodeRecord(ledgers["netops-edge"]?.edge ?? "");
}

/** The state of the device right before a step. */
function seenBefore(step: StepName, look: () => void): StepObserver {
  return { before: (name) => (name === step ? look() : undefined), after: () => undefined };
}

/** A run that is killed right before a step. */
async function killedBefore(world: World, step: StepName, machine = {}): Promise<void> {
  let alive = true;
  const survive = () => {
    if (!alive) throw new Error("killed");
  };
  const observer = seenBefore(step, () => {
    alive = false;
    survive();
  });
  await world.reconcile({
    observer,
    machine,
    wrap: (target) => lookedAt(target, survive),
    write: { network: reachable(async () => undefined) },
  });
  expect(alive).toBe(false);
}

function configure(world: World, change: (text: string) => string): void {
  const file = join(world.folder, "plumbline.yaml");
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

async function reconciledWorld(next: string, owner = "netops-edge"): Promise<World> {
  const world = new World(BARE).want(addresses(FIRST));
  configure(world, (text) => text.replace("owner: netops-edge", `owner: ${owner}`));
  expect((await world.reconcile()).error).toBeUndefined();
  return world.want(next);
}

describe("a configuration that a run saves on the device", () => {
  it("exists while the run writes, and is deleted after verification", async () => {
    const world = await reconciledWorld(watched(SECOND));
    world.device.saved.set("before-the-upgrade", new TreeNode("config"));
    const during: string[] = [];
    const outcome = await world.reconcile({
      observer: seenBefore("commit", () => void during.push(...saved(world))),
      write: { network: UP },
    });
    expect(during).toEqual(["before-the-upgrade", expect.stringMatching(OURS)]);
    expect([outcome.error, saved(world)]).toEqual([undefined, ["before-the-upgrade"]]);
    expect(recordIn(world).snapshots).toBeUndefined();
  });

  it("is created only for a commit with checks", async () => {
    const world = await reconciledWorld(addresses(SECOND));
    const during: string[] = [];
    const { error } = await world.reconcile({ observer: seenBefore("commit", () => void during.push(...saved(world))) });
    expect([error, during, recordIn(world).snapshots]).toEqual([undefined, [], undefined]);
  });

  it("is deleted after an undo, and the ledger drops it", async () => {
    const world = await reconciledWorld(watched(SECOND));
    world.device.failNextValidation = ["no"];
    expect((await world.reconcile({ write: { network: UP } })).error).toBeDefined();
    expect([saved(world), recordIn(world).snapshots]).toEqual([[], undefined]);
  });

  it("is deleted by the next run after a kill, also by one without changes", async () => {
    for (const step of ["write", "commit", "read-back", "remove-snapshots", "ledger-after"] as const) {
      const world = await reconciledWorld(watched(SECOND));
      await killedBefore(world, step);
      world.device.locks.splice(0);
      const { error } = await world.reconcile({ write: { network: UP } });
      expect([step, error, saved(world), recordIn(world).snapshots]).toEqual([step, undefined, [], undefined]);
    }
  });

  it("is deleted by a later run if the device refused it, which is reported", async () => {
    const world = await reconciledWorld(watched(SECOND));
    const wire = {
      before: (call: string) => {
        if (call === "removeSnapshot") throw new Error("not now");
      },
    };
    const outcome = await world.reconcile({ wire, write: { network: UP } });
    expect([outcome.error, outcome.warnings]).toEqual([
      undefined,
      expect.arrayContaining([expect.stringMatching(/saved configuration plumbline-before-\w+ could not be removed: not now/)]),
    ]);
    expect(saved(world)).toHaveLength(1);
    await world.reconcile({ write: { network: UP } });
    expect([saved(world), recordIn(world).snapshots]).toEqual([[], undefined]);
  });
});

describe("a saved configuration that is still needed", () => {
  it("is kept for a watched commit until its decision", async () => {
    const world = await reconciledWorld(watched(SECOND));
    const during: string[][] = [];
    const network = reachable(async () => void during.push(saved(world)));
    expect((await world.reconcile({ write: { network } })).watch?.decision).toBe("confirmed");
    expect(during.at(-1)).toEqual([expect.stringMatching(OURS)]);
    expect(saved(world)).toEqual([]);
  });

  it("is kept after a kill until another run has decided, which can roll the commit back", async () => {
    const world = await reconciledWorld(watched(SECOND));
    await killedBefore(world, "watch");
    expect(saved(world)).toHaveLength(1);
    const refusing = reachable(() => Promise.reject(new Error("connection refused")));
    expect((await world.reconcile({ write: { network: refusing } })).error).toMatchObject({ code: "commit-taken-back" });
    expect([saved(world), recordIn(world).snapshots]).toEqual([[], undefined]);
  });

  it("is kept while its run may still be active, also without a lock", async () => {
    const world = await reconciledWorld(watched(SECOND));
    await killedBefore(world, "write", { host: "b2" });
    world.device.locks.splice(0);
    const [name] = saved(world);
    world.want(addresses(FIRST));
    world.device.revert("netops");
    expect((await world.reconcile()).error).toBeUndefined();
    expect(saved(world)).toEqual([name]);
    world.now += 3_600_000;
    expect((await world.reconcile()).error).toBeUndefined();
    expect(saved(world)).toEqual([]);
  });

  it("belongs to another owner with the same documents, and is not deleted", async () => {
    const names: string[] = [];
    for (const owner of ["netops-edge", "branch-office"]) {
      const world = await reconciledWorld(watched(SECOND), owner);
      await world.reconcile({ observer: seenBefore("commit", () => void names.push(...saved(world))), write: { network: UP } });
    }
    expect([names.length, new Set(names).size]).toEqual([2, 2]);
  });

  it("is not deleted outside the change window", async () => {
    const world = await reconciledWorld(watched(SECOND));
    await killedBefore(world, "remove-snapshots");
    world.device.locks.splice(0);
    configure(world, (text) => `${text}agent: { windows: [{ allow: "0 0 1 1 *", for: 1m }] }\n`);
    const shut = await world.reconcile();
    expect([shut.error, saved(world).length]).toEqual([undefined, 1]);
  });
});
