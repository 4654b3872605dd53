import { describe, expect, it } from "vitest";
import { cloneTree } from "../../src/core/tree/edit.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import type { TargetConfiguration } from "../../src/desired/configuration.js";
import { formatMark } from "../../src/engine/apply/lock-mark.js";
import { waitForRuns } from "../../src/engine/runs-at-work.js";
import { Device } from "./apply/device.js";
import { ALL, DeviceTarget, SPECIFICATION } from "./apply/device-target.js";
import { BARE } from "./apply/scenes.js";

const EDGE = { name: "edge", kind: "panos" } as TargetConfiguration;
const mark = (pid: number) => formatMark("secops", { started: 0, host: "a1", pid, random: "ff" }, "digest");

function scene(capabilities = ALL) {
  const device = new Device(cloneTree(parseXml(Buffer.from(BARE))));
  let now = 0;
  const told: string[] = [];
  const machine = { now: () => now, host: "a1", pid: 1, isAlive: (pid: number) => pid === 7, random: () => "r" };
  const wait = (wait: number, sleep: () => void = () => undefined) =>
    waitForRuns([EDGE], {
      connect: () => new DeviceTarget("edge", device, { capabilities }),
      machine,
      sleep: async (milliseconds) => {
        now += milliseconds;
        sleep();
      },
      wait,
      tell: ({ runs = [] }) => told.push(...runs),
    });
  const locked = (comment: string) => device.locks.push({ kind: "config", scope: "shared", owner: "netops", comment, created: "10:00" });
  return { device, wait, told, locked };
}

describe("runs at work on a target that was paused", () => {
  it("are none where no lock bears the mark of one that lives", async () => {
    const { wait, told, locked } = scene();
    locked("a person at work");
    locked(mark(8));
    expect(await wait(60_000)).toEqual([]);
    expect(told).toEqual([]);
  });

  it("are named, and waited for until they give their lock back", async () => {
    const { device, wait, told, locked } = scene();
    locked(mark(7));
    let looks = 0;
    expect(await wait(60_000, () => ++looks === 3 && device.locks.splice(0))).toEqual([]);
    expect(looks).toBe(3);
    expect(told).toEqual([expect.stringMatching(/^19700101T000000Z-a1-7-ff of secops \(as netops, since 10:00\)$/)]);
  });

  it("are said to write still when the time is over", async () => {
    const { wait, locked } = scene();
    locked(mark(7));
    expect(await wait(5000)).toEqual([{ target: "edge", runs: [expect.stringContaining("of secops")] }]);
  });

  it("are not known of a target without locks, or one that does not answer", async () => {
    expect(await scene(SPECIFICATION).wait(0)).toMatchObject([{ runs: undefined, unknown: expect.stringContaining("no lock") }]);
    const { device, wait } = scene();
    Object.defineProperty(device, "locks", {
      get: () => {
        throw new Error("unreachable");
      },
    });
    expect(await wait(0)).toEqual([{ target: "edge", runs: undefined, unknown: "unreachable" }]);
  });
});
