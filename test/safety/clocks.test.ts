import { afterEach, describe, expect, it } from "vitest";
import { formatMark } from "../../src/engine/apply/lock-mark.js";
import { ManualClock } from "../../src/lab/panos/clock.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

/** Two machines whose clocks differ do not undo each other's work: the store decides what is old, not the clock of the reader. */

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 5, 8);
const EMPTY =
  "<config><shared/><devices><entry name='localhost.localdomain'><vsys><entry name='vsys1'><address/></entry></vsys></entry></devices></config>";
const ADDRESS = "target: edge\nscope: vsys1\nconfig:\n  address: { a: { ip-netmask: 10.0.0.1 } }\n";

const labs: LabWorld[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

/** A lab firewall on which a run of another machine holds the lock. */
async function locked() {
  const clock = new ManualClock(START);
  const world = await LabWorld.start(EMPTY, {}, clock);
  labs.push(world);
  world.want(ADDRESS);
  const run = { started: START, host: "b2", pid: 7, random: "ff" };
  const comment = formatMark("netops-edge", run, "00");
  world.lab.device.state.locks.add({ kind: "config", scope: "shared", owner: "netops", comment, created: clock.now() });
  return { world, clock };
}

describe("the lock of a run on another machine", () => {
  it.each([-HOUR, 0, HOUR, 24 * HOUR])("is not expired according to a clock that is %d ms off", async (off) => {
    const { world } = await locked();
    const outcome = await world.reconcile({ machine: { now: () => START + off, isAlive: () => true } });
    expect(outcome.error).toMatchObject({ code: "locked-by-run" });
    expect(exitCode([outcome])).toBe(3);
    expect(world.lab.device.state.locks.list("config", "all")).toHaveLength(1);
  });

  it.each([-HOUR, 0, HOUR])(
    "is taken over when it has expired by the device's clock, with a local clock that is %d ms off",
    async (off) => {
      const { world, clock } = await locked();
      clock.advance(16 * 60_000);
      const outcome = await world.reconcile({ machine: { now: () => START + off, isAlive: () => true } });
      expect(outcome.error).toBeUndefined();
      expect(world.lab.device.state.locks.list("config", "all")).toEqual([]);
    },
  );
});

describe("two machines an hour apart on one cloud", () => {
  it("do not take each other's lease over", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: {} }\nsecurity_groups: { b: {} }");
    const ahead = { host: "b2", now: () => Date.now() + HOUR, isAlive: () => true };
    let met: string | undefined;
    const after = async (step: string) => {
      if (step === "write" && met === undefined) met = (await world.reconcile({}, {}, ahead)).error?.code;
    };
    expect((await world.reconcile({}, { observer: { before: () => undefined, after } })).error).toBeUndefined();
    expect(met).toBe("locked-by-run");
    const { network } = world.lab.world;
    const made = [...network.all("network"), ...network.all("security_group")].map(({ name }) => name);
    expect(made.filter((name) => name === "a" || name === "b")).toEqual(["a", "b"]);
  });
});
