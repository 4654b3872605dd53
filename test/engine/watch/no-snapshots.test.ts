import { afterEach, expect, it } from "vitest";
import type { ProbeNetwork } from "../../../src/engine/watch/probe-network.js";
import { LabWorld } from "../apply/lab-world.js";
import { GOOD, network, OPEN, WATCH } from "./scene.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const PROBE = "probe:\n  - tcp: { host: 192.0.2.80, port: 443 }\n";
const HARMLESS = network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n", PROBE).replace(
  "        $position: top\n        $entries:\n",
  "",
);
const REACHABLE: ProbeNetwork = { tcp: async () => undefined, http: async () => 200, dns: async () => [] };

async function confirmed(capabilities: "spec-only" | undefined) {
  const world = await LabWorld.start(OPEN, capabilities === undefined ? {} : { capabilities }, undefined, ", blindCommit: true");
  worlds.push(world);
  world.want(GOOD.replace(WATCH, "").replace("        $position: top\n        $entries:\n", ""));
  const outcome = await world.reconcile();
  if (outcome.error !== undefined) throw outcome.error;
  world.want(HARMLESS);
  return await world.reconcile({ write: { network: REACHABLE } });
}

it("a target without saved configurations is watched, with a warning about the limits", async () => {
  const outcome = await confirmed("spec-only");
  expect([outcome.error, outcome.watch?.decision]).toEqual([undefined, "confirmed"]);
  expect(outcome.warnings).toContainEqual(
    expect.stringContaining("if this run is killed while it watches, its commit cannot be rolled back"),
  );
});

it("a target with saved configurations is watched without a warning", async () => {
  const outcome = await confirmed(undefined);
  expect([outcome.watch?.decision, outcome.warnings]).toEqual(["confirmed", [expect.stringContaining("not in a git repository")]]);
});
