import { describe, expect, it } from "vitest";
import { failOver } from "../../../src/lab/panos/commit/pair.js";
import type { DeviceOptions } from "../../../src/lab/panos/options.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld } from "./managed-world.js";

const GROUP = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='all']";

interface Pair {
  readonly push?: string | undefined;
  readonly first?: DeviceOptions;
  readonly other?: DeviceOptions;
}

async function pair({ push = "{ timeout: 5 }", first = {}, other = {} }: Pair): Promise<ManagedWorld> {
  return await ManagedWorld.start(push, undefined, first, other);
}

const failedOver = (world: ManagedWorld): void => failOver(world.device("manager"));
const refusals = ({ error, plan }: TargetOutcome) => [error?.code, ...(plan?.refusals.map(({ message }) => message) ?? [])];

/** Commits of Plumbline's account on the manager that pushes now, by another program. */
function commitAsUs(world: ManagedWorld, ...tags: readonly string[]): void {
  for (const tag of tags) {
    const by = (params: Readonly<Record<string, string>>) => expect(world.manager.act("plumbline", params).status).toBe("success");
    by({ type: "config", action: "set", xpath: `${GROUP}/tag`, element: `<entry name="${tag}"/>` });
    by({ type: "commit", cmd: "<commit/>" });
    by({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
  }
}

it("a push ends if its manager fails over between two jobs, and the next run continues with the other one", async () => {
  const world = await pair({
    push: `{ timeout: 5, rollout: { canary: ["${SERIALS.a}"] } }`,
    other: { panorama: { pairVersions: { before: 3 } } },
  });
  world.want("ours");
  let pushes = 0;
  const fails = (name: string) => {
    if (name === "push-arrival" && ++pushes === 1) failedOver(world);
  };
  const outcome = await world.reconcile({ before: fails, after: () => undefined });
  expect([outcome.error?.code, world.pushes]).toEqual(["not-active", ["validate ab", "push a"]]);
  const next = await world.reconcile();
  expect([next.error, exitCode([next])]).toEqual([undefined, 0]);
  expect(world.pushes).toEqual(["validate ab", "push a", "validate b", "push b"]);
  expect(world.device("other").pushes.map(({ serials }) => serials)).toEqual([[SERIALS.b], [SERIALS.b]]);
});

describe("if firewalls have version numbers of the other manager after a failover, and commits of others wait", () => {
  /** Firewalls bear number 6 of the first manager; alice committed there since, which is version 2 of the other one. */
  async function waiting(other: DeviceOptions = {}, push?: string): Promise<ManagedWorld> {
    const world = await pair({ push, first: { panorama: { pairVersions: { before: 5 } } }, other });
    world.commitByHand(GROUP);
    failedOver(world);
    return world;
  }

  it.each([
    ["has not reached it yet", []],
    ["has reached it with own commits", ["one", "two", "three", "four", "five"]],
  ] as const)("the number is ignored if the other manager %s, and the firewall decides", async (_, tags) => {
    const world = await waiting();
    commitAsUs(world, ...tags);
    world.want("ours");
    expect(refusals(await world.plan())).toEqual([
      undefined,
      expect.stringMatching(/to fw-a would include commits of others .*: version 2 by alice at [^,]+$/),
      expect.stringMatching(/to fw-b would include commits of others .*: version 2 by alice at [^,]+$/),
    ]);
    await world.reconcile();
    expect(world.pushes).toEqual([]);
    world.allow.set("unpushed", "");
    expect(exitCode([await world.reconcile()])).toBe(0);
    world.allow.clear();
    world.want("ours", "more");
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it("a firewall that lacks only this owner's work gets it from the other manager, whatever its number is", async () => {
    const world = await pair({ first: { panorama: { pairVersions: { before: 5 } } } });
    const troubled = ["a", "b"].map((name) => world.device(name).attachment);
    for (const each of troubled) if (each !== undefined) each.trouble = { kind: "fails", lines: ["Commit failed"] };
    world.want("ours");
    expect((await world.reconcile()).error?.code).toBe("push-refused");
    for (const each of troubled) if (each !== undefined) each.trouble = undefined;
    failedOver(world);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.pushes).toEqual(["validate ab", "validate ab", "push ab"]);
  });

  it.each(["nobody", "none"] as const)("does not go out if the peer records it as %s", async (noted) => {
    const world = await waiting({ panorama: { pairVersions: { noted } } });
    world.want("ours");
    const words = noted === "nobody" ? "version 2 by  at" : "version 6, which it bears, is not known to be one of this manager";
    expect(refusals(await world.plan())[1]).toContain(words);
    await world.reconcile();
    expect(world.pushes).toEqual([]);
  });

  it("the result is unknown if firewalls are not read, and refused", async () => {
    const world = await waiting({}, "{ timeout: 5, arrival: manager }");
    world.want("ours");
    expect(refusals(await world.plan())[1]).toContain("version 6, which it bears, is not known to be one of this manager");
  });

  it.each(["refused", "counted"] as const)("a selective push is refused with that number (%s by the peer)", async (foreign) => {
    const world = await waiting({ panorama: { pairVersions: { foreign } } }, "{ timeout: 5, others: selective }");
    world.want("ours");
    const words = "fw-a bears version 6 of the other manager for device-group/branch, and a selective push selects commits by that number";
    expect(refusals(await world.plan())).toEqual([undefined, words, expect.any(String)]);
    await world.reconcile();
    expect(world.pushes).toEqual([]);
    world.allow.set("unpushed", "");
    expect(exitCode([await world.reconcile()])).toBe(0);
    world.allow.clear();
    world.commitByHand(GROUP, "more of theirs");
    world.want("ours", "more");
    const outcome = await world.reconcile();
    expect([outcome.error, outcome.firewalls?.rows.map(({ lacksOnlyOf }) => lacksOnlyOf)]).toEqual([undefined, [["alice"], ["alice"]]]);
  });

  it("the other manager refuses if it does not know the version of a firewall", async () => {
    const world = await pair({ push: "{ timeout: 5, others: selective }", first: { panorama: { pairVersions: { before: 5 } } } });
    world.commitByHand(GROUP);
    world.want("ours");
    await world.reconcile();
    failedOver(world);
    world.want("ours", "more");
    const outcome = await world.reconcile();
    expect([outcome.error?.code, outcome.error?.next]).toEqual(["push-refused", expect.stringContaining("--allow unpushed")]);
    expect(world.pushes).toEqual(["validate ab", "push ab", "validate ab"]);
  });
});
