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
  it("are not read without a hint of one", async () => {
    const world = await settled();
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    expect(sent).not.toContain("show jobs all");
  });

  it("are waited for if the device refuses the batch next to one without a trace", async () => {
    const world = await settled();
    enqueue(world, "netops");
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    expect(sent.indexOf("show jobs all")).toBeGreaterThan(sent.indexOf("multi-config"));
    expect(sent.filter((words) => words === "multi-config")).toHaveLength(2);
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

  it.each([
    ["the journal of this machine", false],
    ["the ledger, on another machine", true],
  ])("are asked for where %s tells of a run that did not end", async (_, elsewhere) => {
    const world = await settled();
    const dies = { before: (name: string) => (name === "write" ? Promise.reject(new Error("killed")) : undefined), after: () => undefined };
    if (elsewhere) world.want(addresses({ a: "10.0.0.9", b: "10.0.0.2" }));
    await world.reconcile({ write: { observer: dies } });
    for (const { kind, scope, owner } of world.lab.device.state.locks.list("config", "shared"))
      expect([kind, scope, owner]).toEqual(["config", "shared", "netops"]);
    if (elsewhere) world.emptyState();
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    expect(sent).toContain("show jobs all");
  });

  it("are read if the account has uncommitted changes", async () => {
    const world = await settled();
    const element = "<entry name='a'><ip-netmask>10.0.0.9</ip-netmask></entry>";
    const { device } = world.lab;
    expect(device.act("netops", { type: "config", action: "set", xpath: ADDRESS, element })).toMatchObject({ status: "success" });
    expect((await run(world)).sent).toContain("show jobs all");
  });
});
