import { afterEach, describe, expect, it } from "vitest";
import type { DeviceOptions } from "../../../src/lab/panos/options.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { LabWorld } from "./lab-world.js";
import { ADDRESS, addressesOf, BARE, policy } from "./scenes.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function world(options: DeviceOptions = {}): Promise<LabWorld> {
  const blind = options.capabilities === "spec-only" ? ", blindCommit: true" : "";
  const made = await LabWorld.start(BARE, { strict: true, ...options }, undefined, blind);
  worlds.push(made);
  return made;
}

const PLATFORMS: [string, DeviceOptions][] = [
  ["a current device", {}],
  ["a device without batches", { system: { version: "10.0.4" } }],
  ["a device with the specification's calls alone", { capabilities: "spec-only" }],
  ["a device without a list of changes", { capabilities: { changes: false } }],
  ["a device with a ceiling of pending changes", { limits: { pendingChanges: 250 } }],
];

describe.each(PLATFORMS)("%s", (_, options) => {
  it("goes from YAML to a committed rule and to a drift report", async () => {
    const w = await world(options);
    const { device } = w.lab;
    w.want(policy({ a: "10.0.0.1", b: "10.0.0.2" }, "b"));
    expect(exitCode([await w.plan()])).toBe(2);
    expect(device.state.commits).toEqual([]);

    const first = await w.reconcile();
    expect(first.error).toBeUndefined();
    expect(first.applied).toMatchObject({ commit: "committed", proven: true });
    expect(addressesOf(device.state.running)).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1", b: "10.0.0.2" });
    expect(exitCode([await w.plan()])).toBe(0);

    w.want(policy({ a: "10.0.0.9", c: "10.0.0.3" }, "c"));
    const second = await w.reconcile();
    expect(second.error).toBeUndefined();
    expect(addressesOf(device.state.running)).toEqual({ theirs: "192.0.2.9", a: "10.0.0.9", c: "10.0.0.3" });
    expect(device.state.violations).toEqual([]);

    const byHand = { type: "config", action: "set", xpath: `${ADDRESS}/entry[@name='a']`, element: "<ip-netmask>10.66.0.1</ip-netmask>" };
    expect(device.act("alice", byHand).status).toBe("success");
    expect(device.act("alice", { type: "commit", cmd: "<commit/>" }).status).toBe("success");
    const drift = await w.drift();
    expect(drift.drift?.items.map(({ change }) => `${change.kind} ${change.path}`)).toEqual([
      `differs ${ADDRESS}/entry[@name='a']/ip-netmask`,
    ]);
    expect(exitCode([drift])).toBe(2);

    const healed = await w.reconcile();
    expect(healed.error).toBeUndefined();
    expect(addressesOf(device.state.running)).toMatchObject({ a: "10.0.0.9" });
    expect(exitCode([await w.drift()])).toBe(0);
  });
});
