import { describe, expect, it } from "vitest";
import type { DeviceOptions } from "../../../src/lab/lab.js";
import type { PushTrouble } from "../../../src/lab/panos/manager/attachment.js";
import { setConnected } from "../../../src/lab/panos/manager/push.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { renderText } from "../../../src/report/text.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld, whenAt } from "./managed-world.js";

const WAVES = `rollout: { canary: ["${SERIALS.c}"], batch: 1 }`;
const RULE = "device-group/entry[@name='all']/pre-rulebase/security/rules/entry[@name='above']";

/** A change of the group above all three firewalls, whose waves are `c`, `a`, `b`. */
async function worldOf(push = `{ timeout: 5, ${WAVES} }`, manager: DeviceOptions = {}): Promise<ManagedWorld> {
  const world = await ManagedWorld.start(push, undefined, manager);
  world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
  return world;
}

function trouble(world: ManagedWorld, name: string, kind: PushTrouble | undefined): void {
  const { attachment } = world.device(name);
  if (attachment === undefined) throw new Error("no attachment");
  attachment.trouble = kind;
}

const real = ({ pushes }: ManagedWorld) => pushes.filter((each) => each.startsWith("push"));
const handed = ({ firewalls }: TargetOutcome) =>
  firewalls?.rows.map(({ serial, vsys, by, handed: said }) => [serial.at(-1), vsys ?? "", by, said?.state ?? "not asked"].join(" "));
const asked = (world: ManagedWorld, cmd: string) =>
  world
    .device("manager")
    .journal.filter(({ params }) => params.cmd?.includes(cmd) === true)
    .map(({ params }) => params.target);
const text = (outcome: TargetOutcome) => renderText("reconcile", [outcome], (_, words) => words);

describe("arrival of a push", () => {
  it("is not reported for a template whose firewalls last got policies", async () => {
    const world = await worldOf();
    expect(exitCode([await world.reconcile()])).toBe(0);
    world.wantTimezone();
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
  });

  it("is read at each firewall of a wave before the next one: the pushed content equals the manager's", async () => {
    const world = await worldOf();
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(real(world)).toEqual(["push c", "push a", "push b"]);
    expect(handed(outcome)).toEqual([
      "1  device-group/branch equal",
      "2  device-group/branch equal",
      "3 vsys1 device-group/plants equal",
      "3 vsys2 device-group/plants equal",
    ]);
    // A firewall with two virtual systems is requested for each of them, and once for their shared part.
    expect(asked(world, "pushed-shared-policy")).toEqual([SERIALS.c, SERIALS.c, SERIALS.c, SERIALS.a, SERIALS.b]);
    expect(asked(world, "pushed-template")).toEqual([]);
  });

  it("stops the waves if a firewall has other content, whatever its manager reports, and names rule and place", async () => {
    const world = await worldOf();
    trouble(world, "a", { kind: "loses", name: "above" });
    const outcome = await world.reconcile();
    expect(real(world)).toEqual(["push c", "push a"]);
    expect(outcome.error).toMatchObject({ code: "push-failed", severity: "partial" });
    expect(outcome.error?.message).toContain(`${SERIALS.a} accepted it and differs from the manager's running configuration: lacks `);
    expect(outcome.error?.message).toContain(RULE);
    expect(text(outcome)).toContain(`fw-a ${SERIALS.a}  in sync with device-group/branch, the firewall lacks /config`);
    expect(outcome.pushed?.map(({ serial, result }) => `${serial.at(-1)} ${result}`)).toEqual(["3 ok", "1 ok", "2 not pushed"]);
  });

  it("is read by the next run after a kill, and blocks all others until it is fixed", async () => {
    const world = await worldOf();
    trouble(world, "c", { kind: "loses", name: "above" });
    const kill = () => {
      throw new Error("killed");
    };
    await world.reconcile(whenAt("push-arrival", kill));
    trouble(world, "c", undefined);
    for (const again of [1, 2]) {
      const next = await world.reconcile();
      expect([again, next.error?.code, next.error?.message]).toEqual([again, "push-failed", expect.stringContaining(RULE)]);
      expect(real(world)).toEqual(["push c"]);
    }
    world.pushByHand("plants");
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(real(world)).toEqual(["push c", "push a", "push b"]);
  });

  it("is the manager's report if so configured", async () => {
    const world = await worldOf(`{ timeout: 5, arrival: manager, ${WAVES} }`);
    trouble(world, "a", { kind: "loses", name: "above" });
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(real(world)).toEqual(["push c", "push a", "push b"]);
    expect(asked(world, "pushed-")).toEqual([]);
  });

  it("is unknown, and blocks the next wave, if the firewall does not report its content", async () => {
    const world = await worldOf();
    world.lab.fault({ match: { cmd: "pushed-shared-policy" }, effect: { kind: "status", status: 500 }, count: 40 });
    const outcome = await world.reconcile();
    expect(real(world)).toEqual(["push c"]);
    expect(outcome.error).toMatchObject({
      code: "push-unknown",
      message: expect.stringContaining("accepted it and did not report its configuration"),
    });
    expect(exitCode([outcome])).not.toBe(0);
  });

  it("is reported as unread if the firewall disconnected after the push", async () => {
    const world = await worldOf();
    const manager = world.device("manager");
    let gone = false;
    const outcome = await world.reconcile(
      whenAt("push-arrival", () => {
        if (!gone) setConnected(world.device("c"), false);
        gone = true;
      }),
    );
    expect(outcome.warnings.join()).toContain("fw-c disconnected after the push: its configuration was not read");
    expect(manager.pushes.some(({ serials }) => serials.includes(SERIALS.a))).toBe(true);
  });
});

describe("firewalls: verify", () => {
  const VERIFY = `{ timeout: 5 }, firewalls: verify`;

  it("reads all firewalls in each pass, and calls none in sync that differs or does not answer", async () => {
    const world = await worldOf(VERIFY);
    expect(exitCode([await world.reconcile()])).toBe(0);
    const well = await world.plan();
    expect(handed(well)?.filter((each) => !each.endsWith(" equal"))).toEqual([]);
    expect(exitCode([well])).toBe(0);
    trouble(world, "b", { kind: "loses" });
    world.pushByHand("branch");
    const outcome = await world.plan();
    expect(exitCode([outcome])).toBe(2);
    expect(handed(outcome)).toContain("2  device-group/branch differs");
    expect(text(outcome)).toContain("1 of 3 firewalls not in sync");
    world.lab.fault({ match: { cmd: "pushed-shared-policy" }, effect: { kind: "status", status: 500 }, count: 60 });
    const silent = await world.plan();
    expect(exitCode([silent])).toBe(2);
    expect(text(silent)).toContain("the state of the firewall is unknown");
  });

  it("does not push again because of its own view of a firewall that the manager calls in sync", async () => {
    const world = await worldOf(VERIFY);
    await world.reconcile();
    trouble(world, "b", { kind: "loses" });
    world.pushByHand("branch");
    const count = real(world).length;
    expect(exitCode([await world.reconcile()])).toBe(2);
    expect(real(world)).toHaveLength(count);
  });

  it.each([
    ["ancestors", "left out", { precedence: "ancestors" }],
    ["nearest", "delivered", { leavesOutTargeted: false }],
  ] as const)("goes by how the manager makes of groups what firewalls get: %s, %s", async (precedence, targeted, projection) => {
    const world = await worldOf(VERIFY, { panorama: { projection } });
    world.write(
      "templates",
      "template/branch-net",
      "{ config: { devices: { localhost.localdomain: { deviceconfig: { system: { timezone: UTC } } } } } }",
    );
    const other = await world.reconcile();
    expect(exitCode([other])).not.toBe(0);
    expect(handed(other)).toContain("2  device-group/branch differs");
    world.configure(`${VERIFY}, reading: { precedence: ${precedence}, targeted: ${targeted} }`);
    const same = await world.reconcile();
    expect(same.error).toBeUndefined();
    expect(exitCode([same])).toBe(0);
    expect(handed(same)?.every((each) => each.endsWith(" equal"))).toBe(true);
    expect(asked(world, "pushed-template")).not.toEqual([]);
  });
});
