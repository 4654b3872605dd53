import { describe, expect, it } from "vitest";
import { afterTest } from "../../after-test.js";
import { freshConnections } from "../../cost/connections.js";
import { Recorder } from "../../cost/recorder.js";
import { LabWorld } from "./lab-world.js";
import { ADDRESS, addresses, addressesOf, BARE } from "./scenes.js";

/** A firewall that a run has reconciled, and a change that was declared afterwards. */
async function settled(): Promise<LabWorld> {
  const world = await LabWorld.start(BARE);
  afterTest(() => world.close());
  world.want(addresses({ a: "10.0.0.1" }));
  expect((await world.reconcile()).error).toBeUndefined();
  world.want(addresses({ a: "10.0.0.9" }));
  return world;
}

async function run(world: LabWorld) {
  const recorder = new Recorder();
  // A caller that waits for a job sees its end.
  const progress = (_: string, text: string) => void (text.startsWith("waiting for a commit of an earlier run") && world.later(MINUTE));
  const outcome = await world.reconcile({ connections: freshConnections(recorder), pass: { progress } });
  return { code: outcome.error?.code, sent: recorder.take().map(({ words }) => words) };
}

const MINUTE = 60_000;

/** A job of an administrator that takes a minute, without uncommitted changes or locks. */
function enqueue({ lab: { device } }: LabWorld, admin: string): void {
  Object.assign(device.state.options, { jobDuration: MINUTE });
  expect(device.act(admin, { type: "op", cmd: "<validate><full></full></validate>" })).toMatchObject({ status: "success" });
  Object.assign(device.state.options, { jobDuration: 0 });
}

const running = ({ lab: { device } }: LabWorld) => addressesOf(device.state.running, ADDRESS);

describe("jobs of an interrupted run", () => {
  it("are listed under the lock, before anything is written", async () => {
    const world = await settled();
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    const [lock, jobs, write] = ["request config-lock add comment", "show jobs all", "multi-config"].map((words) => sent.indexOf(words));
    expect(lock).toBeGreaterThan(-1);
    expect(jobs).toBeGreaterThan(lock ?? -1);
    expect(write).toBeGreaterThan(jobs ?? -1);
  });

  it("are waited for, although nothing else shows that a run was interrupted", async () => {
    const world = await settled();
    enqueue(world, "netops");
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    expect(sent.filter((words) => words === "multi-config")).toHaveLength(1);
    expect(running(world)).toMatchObject({ a: "10.0.0.9" });
    expect(world.lab.device.state.violations).toEqual([]);
  });

  it("of others are not waited for: the device's refusal is reported, and nothing stays behind", async () => {
    const world = await settled();
    enqueue(world, "alice");
    expect((await run(world)).code).toBe("device-busy");
    const { candidate, locks } = world.lab.device.state;
    expect([candidate.pending, locks.list("config", "shared")]).toEqual([[], []]);
  });
});
