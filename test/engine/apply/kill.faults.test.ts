import { describe, expect, it } from "vitest";
import type { Capabilities } from "../../../src/plan/platform.js";
import { ALL, type Call, replyLost, SPECIFICATION, type Wire } from "./device-target.js";
import { type Death, Mortal } from "./mortal.js";
import { addressesOf, BARE, policy, setAddress } from "./scenes.js";
import { World } from "./world.js";

const SHARED = "/config/shared/address";
const FOREIGN = setAddress(SHARED, "half-done", "10.5.5.5");
const WANTED = { a: "10.0.0.9", c: "10.0.0.3" };
const HOUR = 3_600_000;

const PLATFORMS: Record<string, Capabilities> = {
  "with everything": ALL,
  "without a revert": { ...ALL, partialRevert: false },
  "without batches": { ...ALL, atomicBatch: false, maxBatchOperations: 1 },
  "with the specification alone": SPECIFICATION,
};

/** A world that was reconciled once and now wants a change, a create, a delete and another reference. */
async function changedWorld(capabilities: Capabilities): Promise<World> {
  const world = new World(BARE);
  world.capabilities = capabilities;
  world.want(policy({ a: "10.0.0.1", b: "10.0.0.2" }, "b"));
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  return world.want(policy(WANTED, "c"));
}

/** How many steps, and which calls, an undisturbed run has. */
async function measure(capabilities: Capabilities): Promise<{ steps: number; calls: Call[] }> {
  const world = await changedWorld(capabilities);
  const mortal = new Mortal(undefined);
  const calls: Call[] = [];
  const outcome = await world.reconcile({ observer: mortal.observer, wire: { before: (call) => void calls.push(call) } });
  if (outcome.error !== undefined) throw outcome.error;
  return { steps: mortal.steps.length, calls };
}

interface Disturbance {
  readonly foreign: boolean;
  readonly keepState: boolean;
}

const EVERY: readonly Disturbance[] = [true, false].flatMap((foreign) => [true, false].map((keepState) => ({ foreign, keepState })));

/** All modes where the platform offers everything; otherwise the best and the worst case of the platform. */
function disturbancesFor(capabilities: Capabilities): readonly Disturbance[] {
  if (capabilities === ALL) return EVERY;
  return [
    { foreign: false, keepState: true },
    { foreign: capabilities.changeList, keepState: false },
  ];
}

/** The next run, on this machine or, with the state gone, on another one, after the lock has become old; a lease it has to see unchanged. */
async function nextRun(world: World, { keepState }: Disturbance) {
  if (keepState) return await world.reconcile();
  world.emptyState();
  world.now += HOUR;
  return await world.reconcile({ machine: { host: "b2", isAlive: () => true }, write: { lockTimeout: 3600 } });
}

/** Judges by the events that the device recorded and by its configuration. */
async function expectConverged(world: World, disturbance: Disturbance): Promise<void> {
  const next = await nextRun(world, disturbance);
  expect(next.error).toBeUndefined();
  expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", ...WANTED });
  for (const event of world.device.events) {
    if (event.kind === "commit" && event.admin === "netops")
      expect(event.carried.filter((change) => change.admin !== "netops")).toEqual([]);
  }
  expect(world.device.pending).toEqual(disturbance.foreign ? [{ admin: "alice", operation: FOREIGN }] : []);
  const digests = world.device.jobs.filter((job) => job.ok).map((job) => job.description.split(" ")[2]);
  expect(new Set(digests).size).toBe(digests.length);
  const events = world.device.events.length;
  const last = await nextRun(world, disturbance);
  expect(last.applied).toMatchObject({ operations: 0, proven: true });
  expect(world.device.events.slice(events).filter((event) => event.kind === "write" || event.kind === "commit")).toEqual([]);
  expect(world.device.locks).toEqual([]);
  expect([...world.device.saved.keys()]).toEqual([]);
}

describe.each(Object.entries(PLATFORMS))("killed on a platform %s", async (_, capabilities) => {
  const { steps, calls } = await measure(capabilities);
  const deaths = Array.from({ length: steps }, (_, step) => step).flatMap((step): Death[] => [
    { step, moment: "before" },
    { step, moment: "after" },
  ]);
  const disturbances = disturbancesFor(capabilities);

  it.each(deaths)("$moment step $step, the next run converges", async (death) => {
    for (const disturbance of disturbances) {
      const world = await changedWorld(capabilities);
      const mortal = new Mortal(death, () => {
        if (disturbance.foreign) world.device.write("alice", [FOREIGN]);
      });
      await world.reconcile({ observer: mortal.observer, wrap: mortal.wrap });
      expect(mortal.isAlive).toBe(false);
      await expectConverged(world, disturbance);
    }
  });

  it.each(calls.map((call, nth) => ({ call, nth })))(
    "with the reply to call $nth ($call) lost, the next run converges",
    async ({ nth }) => {
      for (const disturbance of disturbances) {
        const world = await changedWorld(capabilities);
        let count = -1;
        const wire: Wire = {
          after() {
            count += 1;
            if (count !== nth) return;
            if (disturbance.foreign) world.device.write("alice", [FOREIGN]);
            throw replyLost();
          },
        };
        await world.reconcile({ wire });
        await expectConverged(world, disturbance);
      }
    },
  );
});
