import { afterEach, describe, expect, it } from "vitest";
import { find } from "../../../src/core/tree/lookup.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { Fenced } from "../../../src/engine/fence.js";
import type { Writer } from "../../../src/engine/write-target.js";
import type { DeviceOptions } from "../../../src/lab/panos/options.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { LabWorld } from "./lab-world.js";
import { rewired } from "./rewired.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys";
const scratch = (world: LabWorld) => find(world.lab.device.state.candidate.tree.root, parsePath(`${VSYS}/entry[@name='vsys2']`));
const RULE =
  "<entry name='r1'><from><member>any</member></from><to><member>any</member></to><source><member>old</member></source><destination><member>any</member></destination><application><member>any</member></application><service><member>any</member></service><action>allow</action></entry>";
const RUNNING = (second = "") =>
  `<config version="11.1.0"><shared/><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig><vsys><entry name="vsys1"><address><entry name="old"><ip-netmask>10.0.0.1</ip-netmask></entry></address><rulebase><security><rules>${RULE}${RULE.replace("'r1'", "'r2'")}</rules></security></rulebase></entry><entry name="vsys2"><display-name>scratch</display-name>${second}</entry></vsys></entry></devices></config>`;
const rule = (name: string, source: string) =>
  `{ name: ${name}, from: [any], to: [any], source: [${source}], destination: [any], application: [any], service: [any], action: allow }`;
const document = (name: string, was = "") =>
  `target: edge\nscope: vsys1\nconfig:\n  address:\n    ${name}: { ip-netmask: 10.0.0.1${was} }\n  rulebase:\n    security:\n      rules: [${rule("r1", name)}, ${rule("r2", name)}]\n`;

async function world(options: DeviceOptions = {}, second = ""): Promise<LabWorld> {
  const made = await LabWorld.start(RUNNING(second), options);
  worlds.push(made);
  made.want(document("old"));
  return made;
}

describe("trials in an empty virtual system", () => {
  it.each([
    [true, "yes"],
    [false, "no"],
  ] as const)("see whether references follow a rename (%s), leave nothing behind and commit nothing", async (renameRewrites, answer) => {
    const w = await world({ behavior: { renameRewrites } });
    const tried = await w.doctor("vsys2");
    expect(tried.outcome.error).toBeUndefined();
    expect(tried.checked?.answers).toEqual({
      renameKeepsReferences: answer,
      memberIsEditedInPlace: "yes",
      batchIsInOrder: "yes",
      editKeepsPlace: "yes",
    });
    expect(tried.checked).toMatchObject({ serial: tried.identity?.serial, version: "11.1.0" });
    const { state } = w.lab.device;
    expect(scratch(w)?.children.map(({ tag }) => tag)).toEqual(["display-name"]);
    expect([state.commits, state.candidate.pending, state.locks.list("config", "all")]).toEqual([[], [], []]);
    expect((await w.doctor()).checked?.answers).toEqual(tried.checked?.answers);
  });

  it("make a rename of a used object one operation if references follow, and copies otherwise", async () => {
    const operations: number[] = [];
    for (const behavior of [{ renameRewrites: true }, { renameRewrites: false }, undefined]) {
      const w = await world(behavior === undefined ? {} : { behavior });
      expect((await w.reconcile()).error).toBeUndefined();
      if (behavior !== undefined) await w.doctor("vsys2");
      w.want(document("new", ", $was: old"));
      const outcome = await w.reconcile();
      expect([outcome.error, outcome.applied?.proven]).toEqual([undefined, true]);
      operations.push(outcome.applied?.operations ?? 0);
    }
    expect(operations[0]).toBe(1);
    expect(operations[1]).toBeGreaterThan(1);
    expect(operations[2]).toBe(operations[1]);
  });

  it("are valid for this device with this version only", async () => {
    const w = await world();
    await w.doctor("vsys2");
    Object.assign(w.lab.device.state, { version: "11.2.0" });
    expect((await w.doctor()).checked).toBeUndefined();
  });
});

describe("no trial is made and nothing is written", () => {
  it.each([
    [
      "in a virtual system that somebody uses",
      {},
      "<address><entry name='x'><ip-netmask>10.0.0.1</ip-netmask></entry></address>",
      "",
      "vsys2",
    ],
    ["in one that documents speak of", {}, "", "", "vsys1"],
    ["in one that is not there", {}, "", "", "vsys7"],
    ["in what is none", {}, "", "", "shared"],
    ["on a target that is only observed", {}, "", "observe", "vsys2"],
    ["on a device that cannot revert our changes alone", { capabilities: { changes: false } }, "", "", "vsys2"],
  ] as const)("%s", async (_, options, second, mode, place) => {
    const w = await world(options, second);
    if (mode !== "") w.inMode(mode);
    const tried = await w.doctor(place);
    expect(tried.outcome.error).toMatchObject({ code: "trial-not-possible", severity: "refused" });
    expect([exitCode([tried.outcome]), tried.checked, w.lab.device.state.candidate.pending]).toEqual([3, undefined, []]);
  });

  it("while the account has uncommitted work, or another administrator holds the lock", async () => {
    const w = await world();
    const { device } = w.lab;
    device.act("netops", { type: "config", action: "set", xpath: `${VSYS}/entry[@name='vsys1']/tag`, element: "<entry name='mine'/>" });
    expect((await w.doctor("vsys2")).outcome.error).toMatchObject({ code: "trial-not-possible" });
    expect(device.state.candidate.pending).toHaveLength(1);
    device.act("netops", {
      type: "op",
      cmd: "<revert><config><partial><admin><member>netops</member></admin></partial></config></revert>",
    });
    device.act("alice", {
      type: "op",
      vsys: "vsys2",
      cmd: "<request><config-lock><add><comment>mine</comment></add></config-lock></request>",
    });
    expect((await w.doctor("vsys2")).outcome.error).toMatchObject({ code: "locked-by-other" });
  });

  it("and a trial that another commit included is reported", async () => {
    const w = await world();
    let writes = 0;
    const carryingAlong = (writer: Fenced<Writer>): Writer => ({
      ...writer,
      write: async (batch) => {
        await writer.write(batch);
        writes += 1;
        if (writes > 1) return;
        // A superuser may remove our lock.
        const unlock = "<request><config-lock><remove><admin>netops</admin></remove></config-lock></request>";
        for (const vsys of ["shared", "vsys1", "vsys2"]) w.lab.device.act("alice", { type: "op", vsys, cmd: unlock });
        expect(w.lab.device.act("alice", { type: "commit", cmd: "<commit/>" }).status).toBe("success");
      },
    });
    const tried = await w.doctor("vsys2", { wrap: (target) => rewired(target, carryingAlong) });
    expect(tried.outcome.error).toMatchObject({ code: "trial-not-undone", severity: "partial" });
  });
});
