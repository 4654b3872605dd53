import { expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld } from "./managed-world.js";

it("reports a firewall as unknown that `show devicegroups` omits, and does not call the target in sync", async () => {
  const world = await ManagedWorld.start(undefined, undefined, { panorama: { unlisted: [SERIALS.b] } });
  world.want("one");
  const outcome = await world.reconcile();
  expect([outcome.error, exitCode([outcome])]).toEqual([undefined, 2]);
  expect(outcome.firewalls?.rows.map(({ serial, state, connected }) => [serial, state, connected])).toEqual([
    [SERIALS.a, "in sync", true],
    [SERIALS.b, "unknown", true],
  ]);
  expect(exitCode([await world.drift()])).toBe(2);
});
