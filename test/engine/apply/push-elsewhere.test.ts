import { describe, expect, it } from "vitest";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import { ManagedWorld } from "./managed-world.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const group = (name: string) => `${DEVICE}/device-group/entry[@name='${name}']`;
const TEMPLATE = `${DEVICE}/template/entry[@name='plant-net']`;

/** `a` and `b` refused the pushed configuration, so from now on they lack changes of Plumbline. */
async function behind(): Promise<ManagedWorld> {
  const world = await ManagedWorld.start();
  const troubled = ["a", "b"].map((name) => world.device(name).attachment);
  for (const each of troubled) if (each !== undefined) each.trouble = { kind: "fails", lines: ["Commit failed"] };
  world.want("ours");
  expect((await world.reconcile()).error?.code).toBe("push-refused");
  for (const each of troubled) if (each !== undefined) each.trouble = undefined;
  return world;
}

const refusals = ({ error, plan }: TargetOutcome) => [error?.code, ...(plan?.refusals.map(({ guard }) => guard) ?? [])];

describe("commits of others for out-of-sync firewalls", () => {
  it("do not block the push of another group or template", async () => {
    const world = await behind();
    world.commitByHand(group("plants"));
    world.alice({ type: "config", action: "set", xpath: TEMPLATE, element: "<description>theirs</description>" });
    world.alice({ type: "commit", cmd: "<commit/>" });
    world.want("ours", "more");
    expect((await world.plan()).plan?.refusals).toEqual([]);
    const outcome = await world.reconcile();
    expect([refusals(outcome), world.pushes.at(-1)]).toEqual([[undefined], "push ab"]);
    expect(outcome.firewalls?.rows.map(({ state }) => state)).toEqual(["in sync", "in sync"]);
  });

  it.each([
    ["the group", group("branch")],
    ["a group above it", group("all")],
    ["what is shared", "/config/shared"],
  ])("holds it where it is of %s, in the plan and right before the push", async (_, xpath) => {
    const world = await behind();
    world.commitByHand(group("plants"));
    world.commitByHand(xpath);
    expect(refusals(await world.reconcile())).toEqual(["push-foreign"]);
    world.want("ours", "more");
    expect(refusals(await world.plan())).toEqual([undefined, "unpushed", "unpushed"]);
    expect(world.pushes).toEqual(["validate ab"]);
  });

  it("block it if a group was moved, or if the manager does not show the former content", async () => {
    const moved = await behind();
    const to = "<request><move-dg><entry name='offices'><new-parent-dg>plants</new-parent-dg></entry></move-dg></request>";
    moved.alice({ type: "op", cmd: to });
    moved.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
    moved.commitByHand(group("plants"));
    expect(refusals(await moved.reconcile())).toEqual(["push-foreign"]);
    const silent = await behind();
    silent.commitByHand(group("plants"));
    silent.lab.fault({ match: { cmd: "<version>" }, effect: { kind: "html", status: 502 }, count: 100 });
    expect(refusals(await silent.reconcile())).toEqual(["push-foreign"]);
  });
});
