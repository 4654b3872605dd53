import { describe, expect, it } from "vitest";
import type { StepName } from "../../../src/engine/apply/steps.js";
import { setConnected } from "../../../src/lab/panos/manager/push.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { killer, ManagedWorld } from "./managed-world.js";

const OFFICES = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='all']";

const states = ({
  firewalls,
}: {
  readonly firewalls?: { readonly rows: readonly { readonly serial: string; readonly state: string }[] } | undefined;
}) => firewalls?.rows.map(({ serial, state }) => `${serial.slice(-1)} ${state}`);

describe("a push", () => {
  it("delivers a commit to the affected firewalls, after all accepted it in a check, and to no other", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    const plan = await world.plan();
    expect(plan.plan?.reaches).toEqual([`${SERIALS.a}  device-group/branch`, `${SERIALS.b}  device-group/branch`]);
    expect(plan.plan?.refusals).toEqual([]);
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(states(outcome)).toEqual(["1 in sync", "2 in sync"]);
    expect(world.pushes).toEqual(["validate ab", "push ab"]);
    expect(world.device("manager").pushes.at(-1)).toMatchObject({ mergesCandidate: false, templates: [] });
    expect(outcome.pushed?.map(({ result }) => result)).toEqual(["ok", "ok"]);
    expect(outcome.applied?.lines.join()).not.toContain("not done here");
    const again = await world.reconcile();
    expect(exitCode([again])).toBe(0);
    expect(world.pushes).toHaveLength(2);
  });

  it("excludes commits of others that were not pushed, also in a parent group", async () => {
    const world = await ManagedWorld.start();
    world.commitByHand(OFFICES);
    world.want("a");
    const plan = await world.plan();
    expect(plan.plan?.refusals.map(({ guard, message }) => `${guard}: ${message}`)[0]).toMatch(
      /^unpushed: a push of device-group\/branch to fw-a would include commits of others that were not pushed: version 2 by alice at /,
    );
    const refused = await world.reconcile();
    expect(refused.error).toMatchObject({ code: "plan-refused", severity: "refused" });
    expect(world.device("manager").commits).toHaveLength(1);
    expect(world.pushes).toEqual([]);
    world.allow = new Map([["unpushed", ""]]);
    const allowed = await world.reconcile();
    expect(allowed.error).toBeUndefined();
    expect(exitCode([allowed])).toBe(0);
    expect(allowed.warnings.join()).toMatch(/passed by --allow unpushed: .*version 2 by alice/);
    expect(world.pushes).toEqual(["validate ab", "push ab"]);
  });

  it("excludes a commit made a second before the lock, and names its author", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    world.lab.fault({
      match: { cmd: "<request><config-lock><add>" },
      effect: { kind: "call", when: "before", run: () => world.commitByHand("/config/shared") },
    });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({
      code: "push-foreign",
      severity: "refused",
      message: expect.stringContaining("version 2 by alice"),
    });
    expect(outcome.applied).toMatchObject({ commit: "committed" });
    expect(world.pushes).toEqual([]);
    // Her push included the change of Plumbline, so no work is left.
    world.pushByHand("branch");
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.pushes).toEqual([]);
  });

  it("reports included work that was committed after the last check", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    const effect = { kind: "call", when: "before", run: () => world.commitByHand(OFFICES) } as const;
    world.lab.fault({ match: { cmd: "<validate-only>no<" }, effect });
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(outcome.warnings.join()).toMatch(/version 3 of the manager, committed by alice at .* during the push, was included/);
    const quiet = await ManagedWorld.start();
    quiet.want("a");
    expect((await quiet.reconcile()).warnings.join()).not.toContain("was included");
  });

  it("waits for another administrator's push, and does not repeat it", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    world.lab.fault({
      match: { cmd: "<show><jobs><all>", admin: "plumbline" },
      effect: {
        kind: "call",
        when: "before",
        run: () => (world.device("manager").commits.at(-1)?.admin === "plumbline" ? world.pushByHand("branch") : undefined),
      },
      count: 3,
    });
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.pushes).toEqual([]);
  });

  it("includes templates if a firewall lacks both, and is separate for one with several virtual systems", async () => {
    const world = await ManagedWorld.start();
    world.write("shared", "shared", "{ tag: { all: { comments: ours } } }");
    world.wantTimezone();
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(world.pushes).toEqual(["validate ab", "validate c", "push ab", "push c"]);
    const templates = world.device("manager").pushes.map((each) => each.templates);
    expect(templates.slice(-2)).toEqual([[SERIALS.a, SERIALS.b], []]);
    expect(outcome.firewalls?.rows.map(({ serial, vsys, by, state }) => `${serial.slice(-1)}${vsys ?? ""} ${by} ${state}`)).toEqual([
      "1 device-group/branch in sync",
      "2 device-group/branch in sync",
      "3vsys1 device-group/plants in sync",
      "3vsys2 device-group/plants in sync",
      "1 template-stack/branches in sync",
      "2 template-stack/branches in sync",
    ]);
  });

  it("skips a disconnected firewall, reports it, and delivers when it reconnects", async () => {
    const world = await ManagedWorld.start();
    setConnected(world.device("b"), false);
    world.want("a");
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(2);
    expect(states(outcome)).toEqual(["1 in sync", "2 out of sync"]);
    setConnected(world.device("b"), true);
    const back = await world.reconcile();
    expect(exitCode([back])).toBe(0);
    expect(world.pushes).toEqual(["validate a", "push a", "validate b", "push b"]);
  });

  it("does not fail at a firewall that disconnects before it, and continues next time", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, validate: false }");
    world.want("a");
    world.lab.fault({
      match: { cmd: "<commit-all>" },
      effect: { kind: "call", when: "before", run: () => setConnected(world.device("b"), false) },
    });
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(2);
    expect(outcome.pushed?.map(({ result }) => result)).toEqual(["ok", "not connected"]);
    setConnected(world.device("b"), true);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.pushes).toEqual(["push ab", "push b"]);
  });

  it("is unknown at a firewall that disconnected during it, and is resolved when it reconnects", async () => {
    const world = await ManagedWorld.start("{ timeout: 1, validate: false }");
    world.want("a");
    const away = () => setConnected(world.device("b"), false);
    world.device("b").attachment ?? expect.fail();
    const { attachment } = world.device("b");
    if (attachment !== undefined) attachment.trouble = { kind: "slow", duration: 400 };
    world.lab.fault({
      match: { cmd: "<commit-all>" },
      effect: { kind: "call", when: "after", run: () => world.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" }) },
    });
    world.lab.fault({
      match: { cmd: "<show><jobs><id>" },
      effect: {
        kind: "call",
        when: "after",
        run: () => (world.device("manager").pushes.at(-1)?.admin === "plumbline" ? away() : undefined),
      },
      count: 40,
    });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-unknown", severity: "partial" });
    expect(exitCode([outcome])).toBe(4);
    world.lab.clearFaults();
    setConnected(world.device("b"), true);
    const back = await world.reconcile();
    expect(back.error).toBeUndefined();
    expect(exitCode([back])).toBe(0);
    expect(world.pushes).toEqual(["push ab"]);
  });

  it("is sent to no firewall if one would refuse it, with that firewall's reason", async () => {
    const world = await ManagedWorld.start();
    const { attachment } = world.device("b");
    if (attachment !== undefined) attachment.trouble = { kind: "fails", lines: ["Error: Duplicate tag name 'a'", "Commit failed"] };
    world.want("a");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({
      code: "push-refused",
      severity: "partial",
      message: expect.stringContaining("Duplicate tag name 'a'"),
    });
    expect(world.pushes).toEqual(["validate ab"]);
  });

  it("is sent to no firewall if one does not respond to the check in time", async () => {
    const world = await ManagedWorld.start("{ timeout: 1 }");
    const { attachment } = world.device("b");
    if (attachment !== undefined) attachment.trouble = { kind: "never-answers" };
    world.want("a");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-unknown", severity: "partial" });
    expect(world.pushes).toEqual(["validate ab"]);
  });

  it("waits for firewalls that are still committing another push", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, validate: false }");
    const { attachment } = world.device("b");
    if (attachment !== undefined) attachment.trouble = { kind: "slow", duration: 500 };
    world.want("a");
    await world.reconcile(killer("before", "push-wait"));
    world.pushByHand("branch");
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(world.pushes).toEqual([]);
  });

  it.each([
    ["fails", { kind: "fails", lines: ["Commit failed"] }, "did not take it: Commit failed"],
    ["is missing in the job", { kind: "left-out" }, "its job has no result for it"],
    ["goes back after its commit", { kind: "reverts" }, "took it and is not in sync"],
  ] as const)("fails if one firewall %s, and the next run pushes only to that firewall", async (_, trouble, words) => {
    const world = await ManagedWorld.start("{ timeout: 5, validate: false }");
    const { attachment } = world.device("b");
    if (attachment === undefined) throw new Error("no attachment");
    attachment.trouble = trouble;
    world.want("a");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-failed", severity: "partial", message: expect.stringContaining(words) });
    expect(outcome.error?.message).toContain(SERIALS.b);
    expect(outcome.error?.message).not.toContain(SERIALS.a);
    attachment.trouble = undefined;
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.pushes).toEqual(["push ab", "push b"]);
  });

  it.each(["drop", "drop-reply"] as const)("that only validates is sent again if %s loses its reply", async (kind) => {
    const world = await ManagedWorld.start();
    world.want("a");
    world.lab.fault({ match: { cmd: "<validate-only>yes" }, effect: { kind } });
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(world.pushes.filter((each) => each.startsWith("push"))).toEqual(["push ab"]);
  });

  it("is not sent after a commit without effect, and follows the next one", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    world.lab.fault({ match: { type: "commit", admin: "plumbline" }, effect: { kind: "job-does-nothing" } });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-failed", message: expect.stringContaining("still uncommitted") });
    expect(exitCode([outcome])).not.toBe(0);
    expect(world.pushes).toEqual([]);
    expect(world.device("manager").candidate.pending).toEqual([]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.pushes).toEqual(["validate ab", "push ab"]);
  });

  it("is found by its description after a lost reply", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    world.lab.fault({ match: { cmd: "<validate-only>no<" }, effect: { kind: "drop-reply" } });
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(world.pushes).toEqual(["validate ab", "push ab"]);
    const [asked, pushed] = world
      .device("manager")
      .pushes.slice(-2)
      .map(({ description }) => description);
    expect(asked).toMatch(/^plumbline push validate /);
    expect(pushed).not.toBe(asked);
  });

  it("is unknown after a lost request, and only the next run sends it again", async () => {
    const world = await ManagedWorld.start("{ timeout: 5, validate: false }");
    world.want("a");
    world.lab.fault({ match: { cmd: "<commit-all>" }, effect: { kind: "late" } });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-unknown", severity: "partial" });
    expect(world.pushes).toEqual([]);
    world.lab.release();
    while (world.pushes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.pushes).toEqual(["push ab"]);
  });

  it("is bound to the firewalls of the plan", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    const { plan } = await world.plan();
    world.alice({ type: "config", action: "delete", xpath: `${OFFICES.replace("'all'", "'branch'")}/devices/entry[@name='${SERIALS.b}']` });
    world.alice({ type: "commit", cmd: "<commit/>" });
    world.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
    world.pushByHand("branch");
    const outcome = await world.reconcile(undefined, new Map([["manager", plan?.digest ?? ""]]));
    expect(outcome.error).toMatchObject({ code: "plan-moved", severity: "refused" });
    expect(world.pushes).toEqual([]);
  });

  it("of two parallel runs leaves all firewalls in sync, and reaches no other", async () => {
    const world = await ManagedWorld.start();
    world.want("a");
    await Promise.all([world.reconcile(), world.reconcile(undefined, undefined, "other")]);
    const last = await world.reconcile();
    expect(exitCode([last])).toBe(0);
    expect(world.pushes.every((each) => /^(?:validate|push) ab$/.test(each))).toBe(true);
    expect(world.device("c").received).toHaveLength(1);
  });

  const STEPS: readonly StepName[] = ["push-wait", "push-local", "push-validate", "push", "push-arrival"];
  it.each(STEPS.flatMap((step) => (["before", "after"] as const).map((when) => [when, step] as const)))(
    "that is killed %s %s goes on with the next run, which repeats nothing",
    async (when, step) => {
      const world = await ManagedWorld.start();
      world.want("a");
      const killed = await world.reconcile(killer(when, step));
      expect(killed.error).toBeDefined();
      const outcome = await world.reconcile();
      expect(outcome.error).toBeUndefined();
      expect(exitCode([outcome])).toBe(0);
      expect(states(outcome)).toEqual(["1 in sync", "2 in sync"]);
      expect(world.pushes.filter((each) => each.startsWith("push"))).toEqual(["push ab"]);
    },
  );
});
