import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { renderText } from "../../../src/report/text.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld, whenAt } from "./managed-world.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const VSYS = `${DEVICE}/vsys/entry[@name='vsys1']`;

/** A change of the group above all three firewalls. */
async function worldOf(push = "{ timeout: 5 }"): Promise<ManagedWorld> {
  const world = await ManagedWorld.start(push);
  world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
  return world;
}

function act(world: ManagedWorld, name: string, params: Readonly<Record<string, string>>): void {
  const device = world.lab.devices.find((each) => each.name === name);
  const { status, message } = device?.act("admin", params) ?? { status: "no device", message: name };
  if (status !== "success") throw new Error(message);
}

/** An administrator writes on a firewall and commits there. */
function own(world: ManagedWorld, name: string, xpath: string, element: string, commits = true): void {
  act(world, name, { type: "config", action: "set", xpath, element });
  if (!commits) return;
  act(world, name, { type: "commit", cmd: "<commit/>" });
  act(world, name, { type: "op", cmd: "<show><jobs><all/></jobs></show>" });
}

const lock = (what: "add" | "remove") => `<request><config-lock><${what}/></config-lock></request>`;
const text = (outcome: TargetOutcome) => renderText("reconcile", [outcome], (_, words) => words);
const kinds = ({ firewalls }: TargetOutcome) =>
  firewalls?.inTheWay?.map(({ serial, kind, xpath }) => `${serial.at(-1)} ${kind} ${xpath.replace(DEVICE, "")}`);

describe("local configuration of a firewall", () => {
  it("stops a push that the firewall would refuse, before it is sent: a name collision, a lock", async () => {
    const world = await worldOf();
    own(world, "b", `${VSYS}/address-group`, "<entry name='proxy'><static/></entry>");
    const named = await world.reconcile();
    expect(named.error).toMatchObject({ code: "push-refused", severity: "partial" });
    expect(named.error?.message).toContain(
      `${SERIALS.b} would refuse the push: fw-b: ${VSYS}/address-group/entry[@name='proxy']: the firewall already has an object of this name`,
    );
    expect(world.pushes).toEqual([]);
    act(world, "b", { type: "config", action: "delete", xpath: `${VSYS}/address-group/entry[@name='proxy']` });
    act(world, "b", { type: "commit", cmd: "<commit/>" });
    act(world, "a", { type: "op", cmd: lock("add") });
    const locked = await world.reconcile();
    expect(locked.error?.message).toContain(`${SERIALS.a} would refuse the push: fw-a: admin holds the config lock of `);
    expect(world.pushes).toEqual([]);
    act(world, "a", { type: "op", cmd: lock("remove") });
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it("is reported if it hides pushed values or would remain, and a push does not change it", async () => {
    const world = await worldOf();
    world.write(
      "net",
      "template/branch-net",
      "{ config: { devices: { localhost.localdomain: { deviceconfig: { system: { timezone: UTC } } } } } }",
    );
    own(world, "a", `${DEVICE}/deviceconfig/system`, "<domain>mine.example</domain><timezone>UTC</timezone>");
    own(world, "b", `${VSYS}/address`, "<entry name='dns'><ip-netmask>10.0.0.1</ip-netmask></entry>");
    own(world, "c", `${VSYS}/tag`, "<entry name='later'/>", false);
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    const said = outcome.warnings.filter((each) => each.startsWith("fw-"));
    expect(said).toEqual([
      `fw-a: ${DEVICE}/deviceconfig/system/domain: its own value counts, mine.example and not example.net`,
      `fw-b: ${VSYS}/address/entry[@name='dns']: its own one counts, not the shared one of its manager`,
      "fw-c: 1 uncommitted by admin, which a push does not change",
    ]);
    expect(world.device("c").candidate.pending).toHaveLength(1);
  });

  it.each(["no", "yes"])("stays after another administrator's push, unless that forces the template's values: %s", async (forced) => {
    const world = await ManagedWorld.start("{ timeout: 5 }, firewalls: verify");
    world.wantTimezone();
    expect(exitCode([await world.reconcile()])).toBe(0);
    own(world, "a", `${DEVICE}/deviceconfig/system`, "<timezone>CET</timezone>");
    const isInTheWay = await world.plan();
    expect([exitCode([isInTheWay]), kinds(isInTheWay)]).toEqual([2, ["1 override /deviceconfig/system/timezone"]]);
    const option = `<force-template-values>${forced}</force-template-values>`;
    world.alice({
      type: "commit",
      action: "all",
      cmd: `<commit-all><template-stack><name>branches</name>${option}</template-stack></commit-all>`,
    });
    for (let n = 0; n < 3; n++) world.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
    const after = await world.plan();
    expect([exitCode([after]), kinds(after)]).toEqual(forced === "yes" ? [0, []] : [2, kinds(isInTheWay)]);
  });

  it('is read in each pass with firewalls: verify, and counts against "in sync"', async () => {
    const world = await worldOf("{ timeout: 5 }, firewalls: verify");
    expect(exitCode([await world.reconcile()])).toBe(0);
    own(world, "c", `${VSYS}/tag`, "<entry name='later'/>", false);
    const left = await world.plan();
    expect(kinds(left)).toEqual([`3 uncommitted ${VSYS.replace(DEVICE, "")}/tag`]);
    expect(exitCode([left])).toBe(0);
    own(world, "a", "/config/shared/address", "<entry name='dns'><ip-netmask>10.0.0.1</ip-netmask></entry>");
    const hidden = await world.plan();
    expect(kinds(hidden)).toContain("1 name /config/shared/address/entry[@name='dns']");
    expect(exitCode([hidden])).toBe(2);
    expect(text(hidden)).toContain("1 with something of their own in the way");
    expect(exitCode([await world.reconcile()])).toBe(2);
    world.lab.fault({ match: { target: SERIALS.a }, effect: { kind: "status", status: 500 }, count: 90 });
    const silent = await world.plan();
    expect(text(silent)).toContain("its local configuration is unknown");
    expect(exitCode([silent])).toBe(2);
  });

  it("is taken from the firewall if it appears between check and push", async () => {
    const world = await worldOf("{ timeout: 5, validate: false }");
    const locked = await world.reconcile(
      whenAt("push", () => world.device("a").locks.list("config", "all").length > 0 || act(world, "a", { type: "op", cmd: lock("add") })),
    );
    expect(locked.error).toMatchObject({ code: "push-failed", message: expect.stringContaining("Configuration is locked by admin") });
    act(world, "a", { type: "op", cmd: lock("remove") });
    const dirty = await world.reconcile(whenAt("push", () => own(world, "a", `${VSYS}/tag`, "<entry name='theirs'/>", false)));
    expect(dirty.error).toBeUndefined();
    expect(world.device("a").candidate.pending).not.toEqual([]);
  });

  it("is not read if the manager's report is sufficient, and stops nothing if unknown", async () => {
    const asked = (world: ManagedWorld) => world.device("manager").journal.filter(({ params }) => params.target !== undefined).length;
    const quiet = await worldOf("{ timeout: 5, arrival: manager }");
    own(quiet, "b", `${VSYS}/address`, "<entry name='dns'><ip-netmask>10.0.0.1</ip-netmask></entry>");
    expect((await quiet.reconcile()).error).toBeUndefined();
    expect(asked(quiet)).toBe(0);
    const world = await worldOf();
    world.lab.fault({ match: { target: SERIALS.a }, effect: { kind: "status", status: 500 }, count: 60 });
    const outcome = await world.reconcile();
    expect(outcome.warnings.join()).toContain("its local configuration is unknown");
    expect(outcome.error).toMatchObject({
      code: "push-unknown",
      message: expect.stringContaining("accepted it and did not report its configuration"),
    });
  });
});
