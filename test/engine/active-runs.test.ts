import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cloneTree } from "../../src/core/tree/edit/edit-tree.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import { waitForRuns } from "../../src/engine/active-runs.js";
import { formatMark, formatRun } from "../../src/engine/apply/lock-mark.js";
import { LeasePlace } from "../../src/engine/lease/lease-place.js";
import { UnchangedSince } from "../../src/engine/lease/unchanged-since.js";
import { FolderStore } from "../../src/engine/ledger/folder-store.js";
import type { RunningPush } from "../../src/outcome/managed-firewalls.js";
import { afterTest } from "../after-test.js";
import { Device } from "./apply/device.js";
import { ALL, DeviceTarget, SPECIFICATION } from "./apply/device-target.js";
import { BARE } from "./apply/scenes.js";

const EDGE = { name: "edge", kind: "panos" } as TargetConfiguration;
const PUSHED = { ...EDGE, push: {} } as TargetConfiguration;
const runOf = (pid: number) => formatRun({ started: 0, host: "a1", pid, random: "ff" });
const mark = (pid: number) => formatMark("secops", { started: 0, host: "a1", pid, random: "ff" }, "digest");

function scene(capabilities = ALL, target = EDGE) {
  const device = new Device(cloneTree(parseXml(Buffer.from(BARE))));
  let now = 0;
  const told: string[] = [];
  const pushes: RunningPush[] = [];
  const folder = mkdtempSync(join(tmpdir(), "runs-at-work-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  const leases = new FolderStore(join(folder, "ledger"));
  const machine = { now: () => now, monotonic: () => now, host: "a1", pid: 1, isAlive: (pid: number) => pid === 7, random: () => "r" };
  const wait = (wait: number, sleep: () => unknown = () => undefined) =>
    waitForRuns([target], {
      connect: () =>
        Object.assign(new DeviceTarget("edge", device, { capabilities }), { managed: { pushes: async () => pushes } as never }),
      machine,
      leases: new LeasePlace(leases, "netops"),
      seen: new UnchangedSince(folder, machine),
      sleep: async (milliseconds) => {
        now += milliseconds;
        await sleep();
      },
      wait,
      report: ({ runs = [] }) => told.push(...runs),
    });
  const locked = (comment: string) => device.locks.push({ kind: "config", scope: "shared", owner: "netops", comment, created: "10:00" });
  const lease = (pid: number, held = true) =>
    new LeasePlace(leases, "secops").swap(
      "edge",
      { run: runOf(pid), who: "ann@noc", counter: 1, beat: 1, held, freeAfter: 60_000, at: undefined },
      undefined,
    );
  return { device, pushes, wait, told, locked, leases, lease };
}

describe("running writers of a paused target", () => {
  it("are none if no lock has the mark of a living run", async () => {
    const { wait, told, locked } = scene();
    locked("a person at work");
    locked(mark(8));
    expect(await wait(60_000)).toEqual([]);
    expect(told).toEqual([]);
  });

  it("are named, and waited for until they release their lock", async () => {
    const { device, wait, told, locked } = scene();
    locked(mark(7));
    let looks = 0;
    expect(await wait(60_000, () => ++looks === 3 && device.locks.splice(0))).toEqual([]);
    expect(looks).toBe(3);
    expect(told).toEqual([expect.stringMatching(/^19700101T000000Z-a1-7-ff of secops \(as netops, since 10:00\)$/)]);
  });

  it("are reported as still writing after the timeout", async () => {
    const { wait, locked } = scene();
    locked(mark(7));
    expect(await wait(5000)).toEqual([{ target: "edge", runs: [expect.stringContaining("of secops")] }]);
  });

  it("include push jobs of runs, which hold no lock, and an order that arrives between two reads", async () => {
    const { pushes, wait, told } = scene(ALL, PUSHED);
    const push = { job: "12", by: "netops", since: undefined, asksOnly: false, firewalls: [], description: `plumbline push ${runOf(8)}.1` };
    const others = [
      { ...push, job: "10", description: "a manual push" },
      { ...push, job: "11", description: `plumbline push validate ${runOf(8)}.1`, asksOnly: true },
    ];
    pushes.push(...others);
    expect(await wait(5000)).toEqual([]);
    pushes.push(push);
    expect(await wait(5000)).toEqual([{ target: "edge", runs: [`push job 12 of ${runOf(8)}.1 (as netops)`] }]);
    expect(await wait(5000, () => pushes.splice(0))).toEqual([]);
    told.length = 0;
    let reads = 0;
    const arriving = () => {
      reads += 1;
      if (reads === 1) pushes.push(push);
      if (reads === 4) pushes.splice(0);
    };
    expect(await wait(60_000, arriving)).toEqual([]);
    expect([told.length, reads]).toEqual([1, 5]);
  });

  it("are known by the lease of a target without locks, and waited for", async () => {
    const { wait, lease, leases, told } = scene(SPECIFICATION);
    expect(await wait(0)).toEqual([]);
    await lease(7);
    expect(await wait(5000)).toEqual([{ target: "edge", runs: [`${runOf(7)} of secops (ann@noc)`] }]);
    const standing = await new LeasePlace(leases, "secops").look("edge");
    if (standing === undefined) throw new Error("no lease");
    let looks = 0;
    const end = async () => {
      if (++looks === 2) await new LeasePlace(leases, "secops").swap("edge", { ...standing.lease, held: false }, standing.version);
    };
    expect(await wait(50_000, end)).toEqual([]);
    expect(told).toHaveLength(2);
  });

  it("have ended if their lease was unchanged for its length, or their process is gone", async () => {
    const { wait, lease } = scene(SPECIFICATION);
    await lease(7);
    expect(await wait(120_000)).toEqual([]);
    const other = scene(SPECIFICATION);
    await other.lease(8);
    expect(await other.wait(0)).toEqual([]);
  });

  it("are unknown if the place of leases is unreadable", async () => {
    const { wait, leases } = scene(SPECIFICATION);
    Object.assign(leases, { readAll: () => Promise.reject(new Error("away")) });
    expect(await wait(0)).toMatchObject([{ runs: undefined, unknown: expect.stringContaining("away") }]);
  });

  it("are unknown for a target that does not answer", async () => {
    const { device, wait } = scene();
    Object.defineProperty(device, "locks", {
      get: () => {
        throw new Error("unreachable");
      },
    });
    expect(await wait(0)).toEqual([{ target: "edge", runs: undefined, unknown: "unreachable" }]);
  });
});
