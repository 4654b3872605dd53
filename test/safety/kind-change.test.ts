import { afterEach, describe, expect, it } from "vitest";
import type { DeviceOptions } from "../../src/lab/panos/options.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { BARE } from "../engine/apply/scenes.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const rule = (name: string, source: string) =>
  `{ name: ${name}, from: [any], to: [any], source: ${source}, destination: [any], application: [any], service: [any], action: allow }`;

/** Two rules use `servers`, one of them together with another object. */
function document(servers: string): string {
  return `target: edge\nscope: vsys1\nconfig:\n${servers}\n  rulebase:\n    security:\n      rules:\n        $position: bottom\n        $entries:\n          - ${rule("first", "[servers]")}\n          - ${rule("second", "[servers, web]")}\n`;
}
const WEB = "    web: { ip-netmask: 10.0.0.2 }";
const ADDRESS = document(`  address:\n${WEB}\n    servers: { ip-netmask: 10.0.0.1 }`);
const GROUP = document(`  address:\n${WEB}\n  address-group:\n    servers: { static: [web] }`);

const DEVICES: [string, DeviceOptions][] = [
  ["a current device", {}],
  ["a device without batches", { system: { version: "10.0.4" } }],
  ["a device with the specification's calls alone", { capabilities: "spec-only" }],
];

describe.each(DEVICES)("a name that changes its kind while two rules use it, on %s", (_, options) => {
  it("needs eight operations, and after each of them every rule names an object", async () => {
    const blind = options.capabilities === "spec-only" ? ", blindCommit: true" : "";
    const world = await LabWorld.start(BARE, { strict: true, ...options }, undefined, blind);
    worlds.push(world);
    world.want(ADDRESS);
    expect((await world.reconcile()).error).toBeUndefined();
    for (const wanted of [GROUP, ADDRESS]) {
      world.want(wanted);
      const outcome = await world.reconcile();
      expect([outcome.error, outcome.applied?.operations, outcome.applied?.proven]).toEqual([undefined, 8, true]);
      expect(world.lab.device.state.violations).toEqual([]);
    }
  });
});
