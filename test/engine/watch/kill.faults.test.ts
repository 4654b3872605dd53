import { afterEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../src/lab/panos/clock.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import { LabWorld } from "../apply/lab-world.js";
import { type Death, Mortal } from "../apply/mortal.js";
import { lookedAt } from "../apply/rewired.js";
import { addressesOf } from "../apply/scenes.js";
import { ledgerOf } from "./ledger-of.js";
import { BAD, CLIENT, commitAs, GOOD, meaning, network, OPEN, VSYS, WATCH } from "./scene.js";

const HOUR = 3_600_000;
const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

interface Scene {
  readonly world: LabWorld;
  readonly clock: ManualClock;
  /** The meaning of the running configuration before the commit. */
  readonly before: string;
}

/** A lab that runs a good configuration, with a desired state that blocks its client. */
async function scene(wanted = BAD): Promise<Scene> {
  const clock = new ManualClock();
  const world = await LabWorld.start(OPEN, { strict: true }, clock);
  worlds.push(world);
  world.sleep = async (milliseconds) => clock.advance(milliseconds);
  world.want(GOOD.replace(WATCH, ""));
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  world.lab.device.state.traffic.add([CLIENT]);
  world.want(wanted);
  return { world, clock, before: meaning(world.lab.device.state.running) };
}

/** The next run, on this machine or on another one without the state; an hour later on the device's clock if its lock remains. */
async function nextRun(world: LabWorld, keepState: boolean): Promise<TargetOutcome> {
  if (keepState) return await world.reconcile({ machine: { isAlive: () => false } });
  world.emptyState();
  const elsewhere = () => world.reconcile({ machine: { host: "another", isAlive: () => true } });
  const outcome = await elsewhere();
  if (outcome.error?.message.includes(") is active") !== true) return outcome;
  world.later(HOUR);
  return await elsewhere();
}

const TAG = `${VSYS}/tag`;

/** Another administrator commits a change of her own if the device is not locked. */
function foreignCommit(world: LabWorld): void {
  try {
    commitAs(world, "alice", TAG, "<entry name='hers'><color>color1</color></entry>");
  } catch {
    // Refused by our lock, as it should be.
  }
}

/** Runs until the decision is made. The configuration is then the original one plus the commits of others. */
async function expectTakenBack({ world, before }: Scene, keepState: boolean): Promise<void> {
  const { state } = world.lab.device;
  const codes: (string | undefined)[] = [];
  for (let run = 0; run < 3 && codes.at(-1) !== "plan-refused"; run++) {
    const { error } = await nextRun(world, keepState);
    codes.push(error?.code === "commit-stands" ? error.message : error?.code);
  }
  expect(codes.at(-1)).toBe("plan-refused");
  expect(new Set(codes.slice(0, -1))).toEqual(new Set(codes.length === 1 ? [] : ["commit-taken-back"]));
  expect(ledgerOf(world).refused?.why).toContain("traffic log");
  expect(ledgerOf(world).watch).toBeUndefined();
  expect(state.candidate.pending.filter(({ stamp }) => stamp.admin === "netops")).toEqual([]);
  expect(state.locks.list("config", "all")).toEqual([]);
  expect(state.violations).toEqual([]);
  if (meaning(state.running).includes("hers")) {
    world.lab.device.act("alice", { type: "config", action: "delete", xpath: `${TAG}/entry[@name='hers']` });
    world.lab.device.act("alice", { type: "commit", cmd: "<commit/>" });
  }
  expect(meaning(state.running)).toBe(before);
}

describe("a run that watches its commit, killed", async () => {
  const measured = await scene();
  const mortal = new Mortal(undefined);
  const undisturbed = await measured.world.reconcile({ write: { observer: mortal.observer } });
  await measured.world.close();
  worlds.splice(0);
  const steps = mortal.steps;

  it("goes through all steps without a kill", () => {
    expect(undisturbed.error?.code).toBe("commit-taken-back");
    expect(steps).toEqual(
      expect.arrayContaining(["watch-baseline", "watch-begin", "commit", "watch", "watch-decide", "take-back", "watch-end"]),
    );
  });

  const deaths = steps.flatMap((name, step) =>
    (["before", "after"] as const).map((moment): [string, Death] => [`${moment} step ${step} (${name})`, { step, moment }]),
  );

  it.each(deaths)("%s: the next one completes the decision, with and without the state of the first", async (_, death) => {
    for (const keepState of [true, false]) {
      const made = await scene();
      const foreign = death.step % 2 === 0;
      const dying = new Mortal(death, () => {
        if (foreign) foreignCommit(made.world);
      });
      await made.world.reconcile({ write: { observer: dying.observer }, wrap: dying.wrap });
      expect(dying.isAlive).toBe(false);
      await expectTakenBack(made, keepState);
      await made.world.close();
    }
  });
});

describe("a run killed while it watches a harmless commit", () => {
  it.each([true, false])("leaves the rest of the window to the next one, which confirms it (state folder kept: %s)", async (keepState) => {
    const harmless = network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n");
    const { world, clock } = await scene(harmless);
    const dying = new Mortal(undefined);
    const began = clock.now();
    const sleep = async (milliseconds: number) => {
      if (clock.now() - began > 30_000) throw new Error("killed");
      clock.advance(milliseconds);
    };
    const wrap = (target: Parameters<typeof dying.wrap>[0]) =>
      lookedAt(target, () => {
        if (clock.now() - began > 30_000) throw new Error("killed");
      });
    await world.reconcile({ write: { sleep }, wrap });
    expect(ledgerOf(world).watch).toMatchObject({ written: [{ kind: "node" }, { kind: "node" }] });
    const next = await nextRun(world, keepState);
    expect(next.error).toBeUndefined();
    expect(next.watch?.decision).toBe("confirmed");
    expect(clock.now() - began).toBeLessThan(75_000);
    expect(clock.now() - began).toBeGreaterThanOrEqual(60_000);
    expect(ledgerOf(world).watch).toBeUndefined();
    expect(addressesOf(world.lab.device.state.running)).toEqual({ theirs: "192.0.2.9", clients: "10.1.0.0/16", spare: "10.9.0.9" });
    expect((await nextRun(world, keepState)).applied).toMatchObject({ operations: 0, proven: true });
  });

  it("is not disturbed while it lives", async () => {
    const { world } = await scene(network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n"));
    const dying = new Mortal(undefined);
    let seen: TargetOutcome | undefined;
    const observer = {
      before: async (step: string) => {
        if (step === "watch" && seen === undefined) seen = await world.reconcile({ machine: { pid: 1, isAlive: () => true } });
      },
      after: () => undefined,
    };
    const first = await world.reconcile({ write: { observer } });
    expect(dying.isAlive).toBe(true);
    expect(seen?.error).toMatchObject({ code: "watch-open", severity: "refused" });
    expect(first.error).toBeUndefined();
  });
});
