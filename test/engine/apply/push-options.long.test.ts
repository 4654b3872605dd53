import { describe, expect, it } from "vitest";
import type { DeviceOptions } from "../../../src/lab/lab.js";
import { setConnected } from "../../../src/lab/panos/manager/push.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { renderText } from "../../../src/report/text.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld, whenAt } from "./managed-world.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";

/** A change of the group above all three firewalls. */
async function worldOf(manager: DeviceOptions, push = "{ timeout: 5 }"): Promise<ManagedWorld> {
  const world = await ManagedWorld.start(push, undefined, manager);
  world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
  return world;
}

const real = ({ pushes }: ManagedWorld) => pushes.filter((each) => each.startsWith("push"));
const pushed = ({ pushed: rows = [] }: TargetOutcome) => rows.map(({ serial, result }) => `${serial.at(-1)} ${result}`);
const text = (outcome: TargetOutcome) => renderText("reconcile", [outcome], (_, words) => words);

/** Behavior of devices that is not documented (docs/contributing/panorama.md#what-nobody-knows), in each variant. */
describe("a push to a manager with unknown capabilities", () => {
  it.each([
    { includesTemplate: true, mergesCandidate: true },
    { includesTemplate: false, mergesCandidate: false },
  ])("what it makes of options that are left out, %j, leaves none out", async (pushDefaults) => {
    const world = await worldOf({ panorama: { pushDefaults } });
    const { lab } = world;
    const c = lab.devices.find(({ name }) => name === "c");
    c?.act("admin", { type: "config", action: "set", xpath: `${DEVICE}/vsys/entry[@name='vsys1']/tag`, element: "<entry name='later'/>" });
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.device("c").candidate.pending).toHaveLength(1);
    expect(world.device("manager").pushes.filter(({ admin, templates }) => admin === "plumbline" && templates.length > 0)).toEqual([]);
  });

  it.each(["FAIL", "PEND", "OK", ""])("treats the text %j of a disconnected firewall as not reached", async (notConnected) => {
    const world = await worldOf({ panorama: { pushWords: { notConnected } } }, "{ timeout: 5, validate: false }");
    const outcome = await world.reconcile({
      before: (step) => (step === "push" ? setConnected(world.device("a"), false) : undefined),
      after: () => undefined,
    });
    expect(pushed(outcome)).toEqual(["1 not connected", "2 ok", "3 ok"]);
    expect(exitCode([outcome])).toBe(2);
    setConnected(world.device("a"), true);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it.each([
    { enqueued: "Push job enqueued with jobid {job}", templates: "template-stack" },
    { enqueued: "Job {job}0 was queued behind 99 others", templates: "shared-policy" },
    { enqueued: "", templates: "" },
  ])("what a push answers, and what kind its job says that it is, %j, goes by the job's number alone", async (pushWords) => {
    const world = await worldOf({ panorama: { pushWords } });
    const first = await world.reconcile();
    expect([first.error, exitCode([first]), pushed(first)]).toEqual([undefined, 0, ["1 ok", "2 ok", "3 ok"]]);
    world.wantTimezone();
    const count = real(world).length;
    const { attachment } = world.device("b");
    if (attachment !== undefined) attachment.trouble = { kind: "fails", lines: ["Commit failed"] };
    const refused = await world.reconcile();
    expect([refused.error?.code, real(world).length]).toEqual(["push-refused", count]);
    if (attachment !== undefined) attachment.trouble = undefined;
    const second = await world.reconcile();
    expect([second.error, exitCode([second]), pushed(second)]).toEqual([undefined, 0, ["1 ok", "2 ok"]]);
    expect(world.device("manager").pushes.at(-1)?.kind).toBe("template-stack");
  });

  it.each(["lets", "stops"] as const)("whether a commit lock there stops it: it %s it", async (commitLock) => {
    const world = await worldOf({ panorama: { pushLimits: { commitLock } } });
    expect((await world.reconcile()).error).toBeUndefined();
    world.commitByHand(`${DEVICE}/device-group/entry[@name='branch']`);
    world.alice({ type: "op", cmd: "<request><commit-lock><add/></commit-lock></request>" });
    const count = real(world).length;
    world.allow.set("unpushed", "");
    const outcome = await world.reconcile();
    expect(outcome.error === undefined).toBe(commitLock === "lets");
    expect(real(world).length > count).toBe(commitLock === "lets");
    if (commitLock === "stops") expect(text(outcome)).toContain("Configuration is locked by alice");
    world.alice({ type: "op", cmd: "<request><commit-lock><remove/></commit-lock></request>" });
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it.each([undefined, ["Commit failed", "Connection to Panorama lost, reverted"]])(
    "stops at a firewall that reverted by itself with the text %j",
    async (says) => {
      const world = await worldOf({}, `{ timeout: 5, validate: false, rollout: { canary: ["${SERIALS.a}"] } }`);
      const { attachment } = world.device("a");
      if (attachment !== undefined) attachment.trouble = { kind: "reverts", ...(says === undefined ? {} : { says }) };
      const outcome = await world.reconcile();
      expect(outcome.error).toMatchObject({ code: "push-failed" });
      expect(real(world)).toEqual(["push a"]);
      if (says !== undefined) expect(outcome.error?.message).toContain("reverted");
    },
  );

  it.each([
    ["push-validate", "FAIL"],
    ["push-validate", "CANC"],
    ["push", "CANC"],
  ] as const)("whether somebody may stop it: a job of the step %s that ends as %s is no push, and is told", async (what, stopped) => {
    const world = await worldOf({ panorama: { pushLimits: { stopped } } });
    const manager = world.device("manager");
    const stop = () => {
      const [job] = manager.jobs.open();
      if (job !== undefined) world.alice({ type: "op", cmd: `<clear><job><id>${job.id}</id></job></clear>` });
    };
    world.lab.fault({ match: { cmd: "<commit-all>" }, effect: { kind: "call", when: "after", run: stop }, count: 10 });
    const outcome = await world.reconcile(whenAt(what, () => void Object.assign(manager.options, { jobDuration: 60_000 })));
    expect(outcome.error).toMatchObject({ code: what === "push" ? "push-failed" : "push-refused" });
    expect(outcome.error?.message).toContain("Job was stopped by user");
    expect(exitCode([outcome])).not.toBe(0);
  });

  it.each([
    [{ kind: "slow", duration: 600 }, "ok"],
    [{ kind: "fails", lines: ["HA configuration synchronization in progress", "Commit failed"] }, "failed"],
  ] as const)(
    "what a half says that takes its peer's configuration over just now, %j, is waited for or gone on with",
    async (trouble, result) => {
      const world = await ManagedWorld.start("{ timeout: 5, validate: false }", "a", {});
      world.want("ours");
      const { attachment } = world.device("b");
      if (attachment !== undefined) attachment.trouble = trouble;
      const outcome = await world.reconcile();
      expect(pushed(outcome)).toEqual(result === "ok" ? ["2 ok", "1 ok"] : ["2 failed", "1 not pushed"]);
      if (result === "failed") expect(outcome.error?.message).toContain("synchronization in progress");
      if (attachment !== undefined) attachment.trouble = undefined;
      expect(exitCode([await world.reconcile()])).toBe(0);
      expect(real(world)).toEqual(result === "ok" ? ["push b", "push a"] : ["push b", "push b", "push a"]);
    },
  );

  it("is sent to no firewall if one does not respond to the check", async () => {
    const world = await worldOf({});
    const { attachment } = world.device("b");
    if (attachment !== undefined) attachment.trouble = { kind: "left-out" };
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "push-unknown", message: expect.stringContaining("its job has no result for it") });
    expect(real(world)).toEqual([]);
  });

  it.each(["bare", "named"] as const)("how a firewall with several virtual systems is named, %s, goes by push.systems", async (systems) => {
    const world = await worldOf({ panorama: { pushLimits: { systems } } }, `{ timeout: 5, systems: ${systems} }`);
    expect(exitCode([await world.reconcile()])).toBe(0);
    world.configure(`{ timeout: 5, systems: ${systems === "bare" ? "named" : "bare"} }`);
    world.write("above", "device-group/all", "{ tag: { above: { comments: other } } }");
    const other = await world.reconcile();
    expect(other.error?.message).toMatch(
      systems === "bare" ? /vsys unexpected here/ : /Could not get vsys info for device 007000000000003/,
    );
    expect(exitCode([other])).not.toBe(0);
  });

  it("limits the firewalls per job with push.perJob", async () => {
    const world = await worldOf({});
    Object.assign(world.device("manager").options, { panorama: { pushLimits: { firewalls: 1 } } });
    expect((await world.reconcile()).error?.message).toContain("more than 1 devices");
    world.configure("{ timeout: 5, perJob: 1 }");
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(real(world)).toEqual(["push a", "push b", "push c"]);
  });

  it.each(["unseen", "out of sync"] as const)(
    "whether it counts what firewalls have of their own, %s, ends, and is not repeated",
    async (overrides) => {
      const world = await worldOf({ panorama: { projection: { overrides } } });
      world.wantTimezone();
      const a = world.lab.devices.find(({ name }) => name === "a");
      a?.act("admin", { type: "config", action: "set", xpath: `${DEVICE}/deviceconfig/system`, element: "<domain>mine.example</domain>" });
      a?.act("admin", { type: "commit", cmd: "<commit/>" });
      const outcome = await world.reconcile();
      expect(outcome.error).toBeUndefined();
      const isSeen = overrides === "out of sync";
      expect(exitCode([outcome])).toBe(isSeen ? 2 : 0);
      if (isSeen)
        expect(text(outcome)).toContain(
          "out of sync with template-stack/branches, has all that it was to get: its manager counts something of its own",
        );
      const count = real(world).length;
      expect(exitCode([await world.reconcile()])).toBe(isSeen ? 2 : 0);
      expect(real(world)).toHaveLength(count);
    },
  );

  it.each(["nearest", "shared"] as const)("which default rule counts, %s, goes by reading:", async (defaultRules) => {
    const reading = (word: string) => `{ timeout: 5 }, firewalls: verify, reading: { defaultRules: ${word} }`;
    const world = await worldOf({ panorama: { projection: { defaultRules } } }, reading(defaultRules));
    const rule = (action: string) =>
      `{ post-rulebase: { default-security-rules: { rules: [{ name: interzone-default, action: ${action} }] } } }`;
    world.write("of-all", "shared", rule("deny"));
    world.write("of-branch", "device-group/branch", rule("allow"));
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    world.configure(reading(defaultRules === "nearest" ? "shared" : "nearest"));
    expect(exitCode([await world.plan()])).toBe(2);
  });
});
