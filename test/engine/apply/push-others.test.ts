import { describe, expect, it } from "vitest";
import { child } from "../../../src/lab/panos/state/system-facts.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { namesIn } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld, whenAt } from "./managed-world.js";

const ALL = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='all']";
const NET =
  "/config/devices/entry[@name='localhost.localdomain']/template/entry[@name='branch-net']/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system";

/** Tags of the group's policy that a firewall reports as pushed. */
const tagsOf = (world: ManagedWorld, name: string) =>
  namesIn(child(world.device(name).attachment?.handed.policies.get("vsys1")?.tree, "tag"));

const said = ({ warnings }: TargetOutcome) => warnings.join("\n");

it("documents for collectors are not pushed, and plan and run report it", async () => {
  const world = await ManagedWorld.start();
  world.write("collectors", "device", "{ log-collector-group: { logs: {} } }");
  const words = "changes of log-collector-group are not pushed";
  expect(said(await world.plan())).toContain(words);
  const outcome = await world.reconcile();
  expect([outcome.error, said(outcome).split(words).length]).toEqual([undefined, 2]);
});

describe("commits of others that were not pushed", () => {
  it.each(["newest", "kept"] as const)(
    "is left out of a selective push, where a firewall bears the %s version afterwards; and it is no work again",
    async (version) => {
      const world = await ManagedWorld.start("{ timeout: 5, others: selective }", undefined, { panorama: { selective: { version } } });
      world.commitByHand(ALL);
      world.want("a");
      const plan = await world.plan();
      expect(plan.plan?.refusals).toEqual([]);
      expect(plan.plan?.others).toMatchObject({ goes: "left out", work: [expect.stringMatching(/^version 2 by alice at /)] });
      const outcome = await world.reconcile();
      expect(outcome.error).toBeUndefined();
      expect(world.pushes).toEqual(["validate ab", "push ab"]);
      expect(world.device("manager").pushes.at(-1)?.admins).toEqual(["plumbline"]);
      expect([tagsOf(world, "a"), tagsOf(world, "b")]).toEqual([["a"], ["a"]]);
      expect(outcome.firewalls?.rows.map(({ state, lacksOnlyOf }) => [state, lacksOnlyOf])).toEqual([
        ["out of sync", ["alice"]],
        ["out of sync", ["alice"]],
      ]);
      expect(exitCode([outcome])).toBe(2);
      const again = await world.reconcile();
      expect(again.error).toBeUndefined();
      expect(world.pushes).toHaveLength(2);
      world.want("a", "b");
      expect((await world.reconcile()).error).toBeUndefined();
      expect(tagsOf(world, "a")).toEqual(["a", "b"]);
      world.pushByHand("branch");
      expect(exitCode([await world.reconcile()])).toBe(0);
      expect(tagsOf(world, "a")?.toSorted()).toEqual(["a", "b", "theirs"]);
    },
  );

  it("are excluded, also if committed between the last check and the push", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, others: selective }");
    world.want("a");
    const outcome = await world.reconcile(whenAt("push", () => world.commitByHand(ALL)));
    expect(outcome.error).toBeUndefined();
    expect(tagsOf(world, "a")).toEqual(["a"]);
    expect(said(outcome)).not.toContain("was included");
  });

  it("are included if configured, with their names in plan, digest and report", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, others: include }");
    world.want("a");
    const alone = await world.plan();
    world.commitByHand(ALL);
    const plan = await world.plan();
    expect(plan.plan?.others).toMatchObject({ goes: "along", work: [expect.stringMatching(/^version 2 by alice at /)] });
    expect(plan.plan?.effect).not.toBe(alone.plan?.effect);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(0);
    expect(said(outcome)).toContain(
      "passed by push: { others: include }: a push of device-group/branch to fw-a would include commits of others",
    );
    expect(tagsOf(world, "a")?.toSorted()).toEqual(["a", "theirs"]);
  });

  it("are included once with the option of a run, and nothing else changes", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, others: selective }");
    world.commitByHand(ALL);
    world.want("a");
    world.allow = new Map([["unpushed", ""]]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.device("manager").pushes.at(-1)?.admins).toBeUndefined();
    expect(tagsOf(world, "a")?.toSorted()).toEqual(["a", "theirs"]);
  });

  it.each([
    ["the manager does not know it", { system: { version: "10.1.9" } }],
    ["the manager takes it of policies alone", { panorama: { selective: { takes: "policies" } } }],
  ] as const)("is no push at all where %s", async (_, manager) => {
    const world = await ManagedWorld.start("{ timeout: 5, others: selective }", undefined, manager);
    world.wantTimezone();
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-refused", next: expect.stringContaining("--allow unpushed") });
    expect(world.pushes).toEqual([]);
  });

  it("are excluded from a template, if the manager supports that", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, others: selective }", undefined, {
      panorama: { selective: { takes: "policies and stacks" } },
    });
    world.lab.device.act("alice", {
      type: "commit",
      action: "all",
      cmd: "<commit-all><template-stack><name>branches</name></template-stack></commit-all>",
    });
    world.pushByHand();
    world.alice({ type: "config", action: "set", xpath: NET, element: "<login-banner>theirs</login-banner>" });
    world.alice({ type: "commit", cmd: "<commit/>" });
    world.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
    world.wantTimezone();
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(outcome.firewalls?.rows.map(({ lacksOnlyOf }) => lacksOnlyOf)).toEqual([["alice"], ["alice"]]);
    const second = await world.reconcile();
    expect(second.error).toBeUndefined();
    expect(world.pushes).toEqual(["validate ab", "push ab"]);
  });

  it("are named if the manager cannot exclude what they committed during the push", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, others: selective }", undefined, { panorama: { selective: { window: 1 } } });
    world.want("a");
    const twice = () => {
      world.commitByHand(ALL);
      world.commitByHand(ALL, "more");
    };
    const outcome = await world.reconcile(whenAt("push", twice));
    expect(outcome.error).toMatchObject({
      code: "push-foreign",
      severity: "partial",
      message: expect.stringMatching(
        /Selective push is not possible.*committed during the push: version 3 by alice at .*version 4 by alice at /,
      ),
      next: expect.stringContaining("--allow unpushed"),
    });
    world.allow = new Map([["unpushed", ""]]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(tagsOf(world, "a")?.toSorted()).toEqual(["a", "more", "theirs"]);
  });

  it.each(["newest", "kept"] as const)("are excluded if two are committed after the push, with the %s version", async (version) => {
    const world = await ManagedWorld.start("{ timeout: 5, others: selective }", undefined, {
      panorama: { selective: { window: 1, version } },
    });
    world.want("a");
    const twice = () => {
      world.commitByHand(ALL);
      world.commitByHand(ALL, "more");
    };
    const outcome = await world.reconcile(whenAt("push-arrival", twice));
    expect(outcome.error).toBeUndefined();
    expect(outcome.firewalls?.rows.map(({ lacksOnlyOf }) => lacksOnlyOf)).toEqual([["alice"], ["alice"]]);
  });

  it("cannot be excluded for a firewall that lacks too much, which is reported before the push", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, others: selective }", undefined, { panorama: { selective: { window: 1 } } });
    world.commitByHand(ALL);
    world.commitByHand(ALL, "more");
    world.want("a");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-refused", message: expect.stringContaining("Selective push is not possible") });
    expect(world.pushes).toEqual(["validate ab"]);
  });
});
