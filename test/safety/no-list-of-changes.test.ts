import { afterEach, describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { StepObserver } from "../../src/engine/apply/steps.js";
import type { DeviceOptions } from "../../src/lab/panos/options.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { ADDRESS, addresses, BARE } from "../engine/apply/scenes.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function started(options: DeviceOptions, more = ""): Promise<LabWorld> {
  const world = await LabWorld.start(BARE, { strict: true, ...options }, undefined, more);
  worlds.push(world);
  world.want(addresses({ a: "10.0.0.1" }));
  return world;
}

const ELSEWHERE = "/config/shared/address";
const WITHOUT_LIST: DeviceOptions = { capabilities: { changes: false, locks: false } };
const SPEC_ONLY: DeviceOptions = { capabilities: "spec-only" };

/** Alice begins something far from all that documents speak of. */
function begin(world: LabWorld): void {
  const request = {
    type: "config",
    action: "set",
    xpath: ELSEWHERE,
    element: '<entry name="alices"><ip-netmask>10.7.7.7</ip-netmask></entry>',
  };
  expect(world.lab.device.act("alice", request).status).toBe("success");
}

const isThere = (world: LabWorld, view: "candidate" | "running", xpath = `${ELSEWHERE}/entry[@name='alices']`): boolean => {
  const { candidate, running } = world.lab.device.state;
  return find(view === "running" ? running : candidate.tree.root, parsePath(xpath)) !== undefined;
};
const commits = (world: LabWorld) => world.lab.device.state.commits.length;

describe("uncommitted work of others on a device without a list of changes", () => {
  it("is detected anywhere, and refuses plan and apply", async () => {
    const world = await started(WITHOUT_LIST);
    begin(world);
    for (const outcome of [await world.plan(), await world.reconcile()]) {
      expect(exitCode([outcome])).toBe(3);
      expect(outcome.plan?.refusals).toEqual([
        expect.objectContaining({ guard: "foreign-pending", allow: "--allow foreign-pending", message: expect.stringContaining("alices") }),
      ]);
    }
    expect([commits(world), isThere(world, "running"), isThere(world, "candidate")]).toEqual([0, false, true]);
  });

  it("is committed with permission", async () => {
    const world = await started(WITHOUT_LIST);
    begin(world);
    const outcome = await world.reconcile({ pass: { allow: new Map([["foreign-pending", ""]]) } });
    expect(outcome.error).toBeUndefined();
    expect([commits(world), isThere(world, "running")]).toEqual([1, true]);
  });

  it("is not overwritten at an owned node", async () => {
    const world = await started(WITHOUT_LIST);
    expect((await world.reconcile()).error).toBeUndefined();
    const xpath = `${ADDRESS}/entry[@name='a']`;
    world.lab.device.act("alice", { type: "config", action: "set", xpath, element: "<ip-netmask>10.6.6.6</ip-netmask>" });
    for (const outcome of [await world.plan(), await world.reconcile()]) {
      expect(exitCode([outcome])).toBe(3);
      expect(outcome.plan?.refusals.map(({ guard, path }) => `${guard} ${path}`)).toEqual([`foreign-pending ${xpath}/ip-netmask`]);
    }
    expect(find(world.lab.device.state.candidate.tree.root, parsePath(`${xpath}/ip-netmask`))?.text).toBe("10.6.6.6");
  });

  it("that starts during the write is detected before the commit, and the own changes are undone", async () => {
    const world = await started(WITHOUT_LIST);
    let wrote = false;
    const observer: StepObserver = {
      before: () => undefined,
      after: (step) => {
        if (step === "write" && !wrote) begin(world);
        wrote ||= step === "write";
      },
    };
    const outcome = await world.reconcile({ write: { observer } });
    expect(outcome.error).toMatchObject({ code: "foreign-change", severity: "refused" });
    expect(wrote).toBe(true);
    expect([commits(world), isThere(world, "candidate"), isThere(world, "candidate", `${ADDRESS}/entry[@name='a']`)]).toEqual([
      0,
      true,
      false,
    ]);
  });

  it("does not matter to a run without changes", async () => {
    const world = await started(WITHOUT_LIST);
    expect((await world.reconcile()).error).toBeUndefined();
    begin(world);
    expect(exitCode([await world.plan(), await world.reconcile()])).toBe(0);
    expect([commits(world), isThere(world, "running")]).toEqual([1, false]);
  });

  it("does not refuse the leftovers of a killed run, which match the desired state", async () => {
    const world = await started(WITHOUT_LIST);
    const xpath = `${ADDRESS}/entry[@name='a']`;
    const element = "<ip-netmask>10.0.0.1</ip-netmask>";
    world.lab.device.act("netops", { type: "config", action: "set", xpath, element });
    expect(exitCode([await world.plan()])).toBe(2);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(isThere(world, "running", xpath)).toBe(true);
  });
});

describe("a device that does not show its running configuration either", () => {
  it("is not written, and the error names the setting that permits it", async () => {
    const world = await started(SPEC_ONLY);
    for (const outcome of [await world.plan(), await world.reconcile()]) {
      expect(exitCode([outcome])).toBe(3);
      expect(outcome.plan?.refusals).toEqual([
        expect.objectContaining({ guard: "foreign-pending", message: expect.stringContaining("blindCommit: true") }),
      ]);
      expect(outcome.warnings).toContainEqual(expect.stringContaining("the running configuration cannot be read"));
    }
    expect(world.lab.device.state.journal.filter(({ action }) => action === "set" || action === "edit")).toEqual([]);
  });

  it("is written with blindCommit, and each run reports the risk", async () => {
    const world = await started(SPEC_ONLY, ", blindCommit: true");
    const aloud = expect.stringContaining("a commit includes the uncommitted work of others (blindCommit)");
    const planned = await world.plan();
    expect([exitCode([planned]), planned.warnings]).toEqual([2, expect.arrayContaining([aloud])]);
    const written = await world.reconcile();
    expect([exitCode([written]), written.warnings]).toEqual([0, expect.arrayContaining([aloud])]);
    expect((await world.drift()).warnings).toContainEqual(aloud);
    expect(isThere(world, "running", `${ADDRESS}/entry[@name='a']`)).toBe(true);
  });
});
