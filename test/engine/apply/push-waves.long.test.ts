import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StepName, StepObserver } from "../../../src/engine/apply/steps.js";
import { BundleStore } from "../../../src/engine/ledger/bundle-store.js";
import { fileDocument } from "../../../src/engine/ledger/document.js";
import { NoticeBoard } from "../../../src/engine/notices.js";
import { failOver } from "../../../src/lab/panos/commit/pair.js";
import { setConnected } from "../../../src/lab/panos/manager/push.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { renderText } from "../../../src/report/text.js";
import { pushOf, SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld } from "./managed-world.js";

const BRANCH = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='branch']";
const NO_MORE = "<include-template>no</include-template><merge-with-candidate-cfg>no</merge-with-candidate-cfg>";
const WAVES = `{ timeout: 5, rollout: { canary: ["${SERIALS.c}"], batch: 1 } }`;

/** A change of the group above all three firewalls, whose waves are `c`, `a`, `b`. */
async function worldOf(push = WAVES): Promise<ManagedWorld> {
  const world = await ManagedWorld.start(push);
  world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
  return world;
}

const pushed = ({ pushed: rows = [] }: TargetOutcome) =>
  rows.map(({ serial, wave, result }) => `${wave} ${serial === SERIALS.a ? "a" : serial === SERIALS.b ? "b" : "c"} ${result}`);
const real = ({ pushes }: ManagedWorld) => pushes.filter((each) => each.startsWith("push"));

/** Does something before or after the nth time of a step. */
function at(when: "before" | "after", step: StepName, nth: number, act: () => void): StepObserver {
  let seen = 0;
  const look = (side: "before" | "after") => (name: StepName) => {
    if (side !== when || name !== step) return;
    seen += 1;
    if (seen === nth) act();
  };
  return { before: look("before"), after: look("after") };
}

const kill = () => {
  throw new Error("killed");
};

function trouble(world: ManagedWorld, name: string, lines: readonly string[] | undefined): void {
  const { attachment } = world.device(name);
  if (attachment === undefined) throw new Error("no attachment");
  attachment.trouble = lines === undefined ? undefined : { kind: "fails", lines };
}

describe("a push in waves", () => {
  it("checks all first, then proceeds wave by wave, as in the plan and its digest", async () => {
    const world = await worldOf();
    const planned = await world.plan();
    expect(planned.plan?.waves).toEqual([
      { canary: true, serials: [SERIALS.c] },
      { canary: false, serials: [SERIALS.a] },
      { canary: false, serials: [SERIALS.b] },
    ]);
    const text = renderText("plan", [planned], (_, words) => words);
    expect(text).toMatch(/to be pushed to 4 firewalls and virtual systems, in 3 waves\n +wave 1 {2}fw-c \d+ \(canary\)\n +wave 2 {2}fw-a/);
    const outcome = await world.reconcile(undefined, new Map([["manager", planned.plan?.digest ?? ""]]));
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(world.pushes).toEqual(["validate ab", "validate c", "push c", "push a", "push b"]);
    expect(pushed(outcome)).toEqual(["1 c ok", "2 a ok", "3 b ok"]);
    expect((await world.reconcile()).pushed).toBeUndefined();
    expect(world.pushes).toHaveLength(5);
  });

  it("waits for no disconnected canary when it restores former content", async () => {
    const world = await worldOf();
    await world.reconcile();
    const count = world.pushes.length;
    world.write("above", "device-group/all", "{ tag: { above: { comments: former } } }");
    setConnected(world.device("c"), false);
    const waiting = await world.reconcile();
    expect(waiting.warnings.join()).toContain("2 firewalls wait for the canary fw-c");
    expect(world.pushes).toHaveLength(count);
    world.isWayBack = true;
    const back = await world.reconcile();
    expect(back.warnings.join()).not.toContain("wait for the canary");
    expect(world.pushes.slice(count)).toEqual(["validate ab", "push a", "push b"]);
    expect(exitCode([back])).toBe(2);
  });

  it("is refused if its waves differ from the approved ones", async () => {
    const world = await worldOf();
    const { plan } = await world.plan();
    world.configure(`{ timeout: 5, rollout: { canary: ["${SERIALS.a}"], batch: 1 } }`);
    const outcome = await world.reconcile(undefined, new Map([["manager", plan?.digest ?? ""]]));
    expect(outcome.error).toMatchObject({ code: "plan-moved", severity: "refused" });
    expect(world.pushes).toEqual([]);
  });

  it("is active nowhere if one of the last wave would refuse it", async () => {
    const world = await worldOf();
    trouble(world, "b", ["Error: Duplicate tag name 'above'"]);
    expect((await world.reconcile()).error).toMatchObject({ code: "push-refused" });
    expect(real(world)).toEqual([]);
  });

  it.each([
    ["its canary", "c", ["push c"], ["1 c failed", "2 a not pushed", "3 b not pushed"], "(2 more were not pushed to)"],
    ["one of a later wave", "a", ["push c", "push a"], ["1 c ok", "2 a failed", "3 b not pushed"], "(1 more was not pushed to)"],
  ])("ends where %s fails; the rest is not pushed to, and goes on when it is well", async (_, name, sent, rows, words) => {
    const world = await worldOf();
    const outcome = await world.reconcile(at("before", "push", 1, () => trouble(world, name, ["Commit failed"])));
    expect(outcome.error).toMatchObject({ code: "push-failed", severity: "partial", message: expect.stringContaining(words) });
    expect(exitCode([outcome])).toBe(4);
    expect(real(world)).toEqual(sent);
    expect(pushed(outcome)).toEqual(rows);
    trouble(world, name, undefined);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world)).toEqual([...sent, ...["push c", "push a", "push b"].slice(sent.length - 1)]);
  });

  it.each([
    ["goes back after its commit", "reverts", "took it and is not in sync"],
    ["is missing in the job", "left-out", "its job has no result for it"],
  ] as const)("ends where a canary %s", async (_, kind, words) => {
    const world = await worldOf(WAVES.replace("timeout: 5", "timeout: 5, validate: false"));
    const { attachment } = world.device("c");
    if (attachment !== undefined) attachment.trouble = { kind };
    expect((await world.reconcile()).error).toMatchObject({ code: "push-failed", message: expect.stringContaining(words) });
    expect(real(world)).toEqual(["push c"]);
  });

  it("ends if a canary never answers", async () => {
    const world = await worldOf(WAVES.replace("timeout: 5", "timeout: 1, validate: false"));
    const { attachment } = world.device("c");
    if (attachment !== undefined) attachment.trouble = { kind: "never-answers" };
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-unknown", severity: "partial" });
    expect(pushed(outcome)).toEqual(["1 c unknown", "2 a not pushed", "3 b not pushed"]);
  });

  it("waits for a disconnected canary, reports it, and skips other disconnected firewalls", async () => {
    const world = await worldOf();
    setConnected(world.device("c"), false);
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(2);
    expect(outcome.warnings).toContain("2 firewalls wait for the canary fw-c, which is not connected");
    expect(world.pushes).toEqual([]);
    setConnected(world.device("c"), true);
    setConnected(world.device("a"), false);
    expect(exitCode([await world.reconcile()])).toBe(2);
    expect(real(world)).toEqual(["push c", "push b"]);
    setConnected(world.device("a"), true);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world)).toEqual(["push c", "push b", "push a"]);
  });

  it("waits for a canary that disconnects before the push", async () => {
    const world = await worldOf();
    const outcome = await world.reconcile(at("before", "push", 1, () => setConnected(world.device("c"), false)));
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(2);
    expect(pushed(outcome)).toEqual(["1 c not connected", "2 a not pushed", "3 b not pushed"]);
    expect(outcome.warnings.join()).toContain("2 firewalls wait for the canary fw-c");
  });

  it("excludes a commit of others between two waves", async () => {
    const world = await worldOf();
    const outcome = await world.reconcile(at("after", "push-arrival", 1, () => world.commitByHand(BRANCH)));
    expect(outcome.error).toMatchObject({ code: "push-foreign", severity: "refused" });
    expect(real(world)).toEqual(["push c"]);
    expect(pushed(outcome)).toEqual(["1 c ok", "2 a not pushed", "3 b not pushed"]);
  });

  it("is stopped by a pause between two waves, and continues after it", async () => {
    const world = await worldOf();
    const board = new NoticeBoard(new BundleStore(fileDocument(join(world.folder, "ledger.json"))), "secops");
    const pause = { target: "manager", reason: "the network is down", by: "alice", since: 0, until: undefined };
    const outcome = await world.reconcile({
      before: () => undefined,
      after: async (step) => (step === "push-arrival" ? await board.pause(pause) : undefined),
    });
    expect(outcome.error).toMatchObject({ code: "paused", severity: "refused" });
    expect(pushed(outcome)).toEqual(["1 c ok", "2 a not pushed", "3 b not pushed"]);
    expect(real(world)).toEqual(["push c"]);
    await board.resume("manager");
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world)).toEqual(["push c", "push a", "push b"]);
  });

  it("finds the job of a later wave after a lost reply", async () => {
    const world = await worldOf();
    const lose = () => world.lab.fault({ match: { cmd: "<validate-only>no<" }, effect: { kind: "drop-reply" } });
    const outcome = await world.reconcile(at("before", "push", 2, lose));
    expect(outcome.error).toBeUndefined();
    expect(real(world)).toEqual(["push c", "push a", "push b"]);
  });

  it("is unknown at a later wave whose request was lost; the rest is not pushed to", async () => {
    const world = await worldOf();
    const lose = () => world.lab.fault({ match: { cmd: "<commit-all>" }, effect: { kind: "late" } });
    const outcome = await world.reconcile(at("before", "push", 2, lose));
    expect(outcome.error).toMatchObject({ code: "push-unknown", severity: "partial" });
    expect(pushed(outcome)).toEqual(["1 c ok", "2 a unknown", "3 b not pushed"]);
    world.lab.release();
    while (real(world).length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world)).toEqual(["push c", "push a", "push b"]);
  });

  it("reports unreachable canaries, in plan and run", async () => {
    const world = await worldOf(`{ timeout: 5, rollout: { canary: ["007000000000009"] } }`);
    const words = "there is no canary: none of the 3 affected firewalls is in push.rollout.canary (007000000000009)";
    expect((await world.plan()).warnings).toContain(words);
    const outcome = await world.reconcile();
    expect(outcome.warnings).toContain(words);
    expect((await world.reconcile()).warnings).not.toContain(words);
  });

  const STEPS = (["push-wait", "push", "push-arrival"] as const).flatMap((step) =>
    (["before", "after"] as const).flatMap((when) => [1, 2, 3].map((nth) => [when, step, nth] as const)),
  );
  it.each(STEPS)("that is killed %s %s number %i continues there, and repeats nothing", async (when, step, nth) => {
    const world = await worldOf();
    expect((await world.reconcile(at(when, step, nth, kill))).error).toBeDefined();
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(real(world)).toEqual(["push c", "push a", "push b"]);
  });

  it("of two parallel runs keeps its order: no firewall gets it before the previous wave has it", async () => {
    const world = await worldOf();
    await Promise.all([world.reconcile(), world.reconcile(undefined, undefined, "other")]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    const order = real(world).map((each) => "cab".indexOf(each.slice(-1)));
    expect(order).toEqual(order.toSorted());
  });
});

describe("a push to a pair", () => {
  it.each([
    ["a", ["push b", "push a"]],
    ["b", ["push a", "push b"]],
  ] as const)("goes to the half that carries no traffic, proves it, then to %s", async (active, sent) => {
    const world = await ManagedWorld.start("{ timeout: 5 }", active);
    world.want("a");
    const { plan, firewalls } = await world.plan();
    const [first, second] = active === "a" ? [SERIALS.b, SERIALS.a] : [SERIALS.a, SERIALS.b];
    expect(plan?.waves?.map(({ serials }) => serials)).toEqual([[first], [second]]);
    expect(firewalls?.rows.find(({ serial }) => serial === second)?.ha).toEqual({ state: "active", peer: first });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(0);
    expect(world.pushes).toEqual(["validate ab", ...sent]);
  });

  it.each([
    ["passive", "b", ["push b"], ["1 b failed", "2 a not pushed"]],
    ["active", "a", ["push b", "push a"], ["1 b ok", "2 a failed"]],
  ] as const)("ends where its %s half fails, and goes to what lacks it the next time", async (_, name, sent, rows) => {
    const world = await ManagedWorld.start("{ timeout: 5 }", "a");
    world.want("a");
    const outcome = await world.reconcile(at("before", "push", 1, () => trouble(world, name, ["Commit failed"])));
    expect(outcome.error).toMatchObject({ code: "push-failed", severity: "partial" });
    expect(pushed(outcome)).toEqual(rows);
    expect(real(world)).toEqual(sent);
    trouble(world, name, undefined);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world).slice(sent.length)).toEqual(name === "b" ? ["push b", "push a"] : ["push a"]);
  });

  it("continues at the active member while the other is disconnected", async () => {
    const world = await ManagedWorld.start("{ timeout: 5 }", "a");
    world.want("a");
    setConnected(world.device("b"), false);
    expect(exitCode([await world.reconcile()])).toBe(2);
    expect(real(world)).toEqual(["push a"]);
  });

  it("treats the complete pair as a canary if one member is named", async () => {
    const world = await ManagedWorld.start(`{ timeout: 5, rollout: { canary: ["${SERIALS.a}"] } }`, "a");
    world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
    expect((await world.plan()).plan?.waves).toEqual([
      { canary: true, serials: [SERIALS.b] },
      { canary: true, serials: [SERIALS.a] },
      { canary: false, serials: [SERIALS.c] },
    ]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world)).toEqual(["push b", "push a", "push c"]);
  });

  it("stays approved when the roles change, and goes to the then passive member", async () => {
    const world = await ManagedWorld.start("{ timeout: 5 }", "a");
    world.want("a");
    const { plan } = await world.plan();
    failOver(world.device("a"));
    const outcome = await world.reconcile(undefined, new Map([["manager", plan?.digest ?? ""]]));
    expect(outcome.error).toBeUndefined();
    expect(real(world)).toEqual(["push a", "push b"]);
  });

  it.each([1, 2])("that is killed at push number %i continues with the other member", async (nth) => {
    const world = await ManagedWorld.start("{ timeout: 5 }", "a");
    world.want("a");
    await world.reconcile(at("after", "push", nth, kill));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world)).toEqual(["push b", "push a"]);
  });

  it("waits for another push to one member before it starts at the other", async () => {
    const world = await ManagedWorld.start("{ timeout: 5 }", "a");
    const { attachment } = world.device("b");
    if (attachment === undefined) throw new Error("no attachment");
    world.want("a");
    // While the firewalls are queried, she starts a push to the half that Plumbline begins with.
    const outcome = await world.reconcile(
      at("after", "push-validate", 1, () => {
        attachment.trouble = { kind: "slow", duration: 300 };
        world.alice({ type: "commit", action: "all", cmd: pushOf({ branch: [SERIALS.b] }, NO_MORE) });
        world.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
      }),
    );
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(real(world)).toEqual(["push a"]);
  });
});
