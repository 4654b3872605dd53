import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cloneTree } from "../../src/core/tree/edit/edit-tree.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { decodeRecord } from "../../src/engine/ledger/codec.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { Device } from "../engine/apply/device.js";
import { addresses, addressesOf, BARE } from "../engine/apply/scenes.js";
import { type RunOptions, World } from "../engine/apply/world.js";
import { ControllerWorld } from "../targets/contrail/world.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// The ledger of a target belongs to one device. If the address of the target leads to another device, the ledger must not delete
// or write anything there.

/** A world whose ledger lists a and b of device 0001. The document no longer wants b. */
async function managed() {
  const world = new World(BARE);
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", world.folder, "-c", "user.name=ann", "-c", "user.email=a@b", ...words], { encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(world.folder, ".gitignore"), "/state\n/ledger.json\n");
  const want = (wanted: Record<string, string>): void => {
    world.want(addresses(wanted));
    git("add", ".");
    git("commit", "--quiet", "--message", "wanted");
  };
  want({ a: "10.0.0.1", b: "10.0.0.2" });
  expect((await world.reconcile()).error).toBeUndefined();
  want({ a: "10.0.0.1" });
  return { world, want };
}

/** Lets the address of the target lead to a device with the same content and the serial number 0002. */
function replaceDevice(world: World): Device {
  const other = new Device(cloneTree(world.device.running));
  other.serial = "0002";
  world.others.set("edge", other);
  return other;
}

function devicesIn(world: World): readonly string[] | undefined {
  return recordIn(world).devices;
}

function recordIn(world: World) {
  const { ledgers } = JSON.parse(readFileSync(join(world.folder, "ledger.json"), "utf8")) as {
    ledgers: Record<string, Record<string, string>>;
  };
  return decodeRecord(ledgers["netops-edge"]?.edge ?? "");
}

const deleted = ({ plan }: TargetOutcome): number => plan?.changes.filter(({ kind }) => kind === "extra").length ?? 0;

const guards = ({ plan }: TargetOutcome): string[] => plan?.refusals.map(({ guard }) => guard) ?? [];

describe("a target whose address leads to another device", () => {
  it("deletes nothing there, and plan reports why", async () => {
    const { world } = await managed();
    expect(devicesIn(world)).toEqual(["0001"]);
    expect(deleted(await world.plan())).toBe(1);
    const other = replaceDevice(world);
    const plan = await world.plan();
    expect(deleted(plan)).toBe(0);
    expect(plan.plan?.deletionsUnknown).toBe(true);
    expect(plan.plan?.refusals).toEqual([
      {
        guard: "other-device",
        message:
          "The ledger belongs to 0001, but 0002 answers. The run was stopped before the first write. If the device was replaced, run `plumbline adopt edge`.",
        path: undefined,
        allow: undefined,
        origin: undefined,
      },
    ]);
    expect(exitCode([plan])).not.toBe(0);
    const drift = await world.drift();
    expect(drift.warnings.join()).toContain("The ledger belongs to 0001, but 0002 answers.");
    expect(drift.unread).toEqual([expect.stringContaining("The ledger belongs to 0001, but 0002 answers.")]);
    const run = await world.reconcile();
    expect(run.error).toMatchObject({ code: "other-device", severity: "refused", next: expect.stringContaining("plumbline adopt edge") });
    expect(addressesOf(other.candidate)).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
    expect(devicesIn(world)).toEqual(["0001"]);
  });

  it("refuses every write there, also changes and runs without changes", async () => {
    const { world, want } = await managed();
    const other = replaceDevice(world);
    want({ a: "10.0.0.9", b: "10.0.0.2" });
    expect((await world.reconcile()).error?.code).toBe("other-device");
    want({ a: "10.0.0.1", b: "10.0.0.2" });
    expect((await world.reconcile()).error?.code).toBe("other-device");
    expect(addressesOf(other.running)).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
  });

  it("is adopted with what the documents declare, and deletes none of the rest", async () => {
    const { world } = await managed();
    const other = replaceDevice(world);
    expect((await world.adopt()).error).toBeUndefined();
    const record = recordIn(world);
    expect(record.devices).toEqual(["0002"]);
    expect(record.paths.join()).toContain("'a'");
    expect(record.paths.join()).not.toContain("'b'");
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(other.running)).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
    world.others.clear();
    expect((await world.reconcile()).error?.code, "the former device is the other one now").toBe("other-device");
  });

  it("is not adopted by path", async () => {
    const { world } = await managed();
    replaceDevice(world);

    const adopted = await world.adopt({ pass: { only: parsePath("/config/shared") } });
    expect(adopted.error?.code).toBe("other-device");
    expect(devicesIn(world)).toEqual(["0001"]);
  });

  it("is not another one if the ledger names none and it does not report its identity", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const wrap = opened({ devices: [] });
    expect((await world.reconcile({ wrap })).error).toBeUndefined();
    expect(devicesIn(world)).toBeUndefined();
    expect((await world.reconcile({ wrap })).error).toBeUndefined();
    expect((await world.reconcile()).error).toBeUndefined();
    expect(devicesIn(world)).toEqual(["0001"]);
    expect((await world.reconcile({ wrap })).error?.code, "an unknown device is another one").toBe("other-device");
  });
});

describe("a saved plan and an approval", () => {
  it("apply to the device that they were made for only", async () => {
    const { world } = await managed();
    const { plan } = await world.plan();
    const write = {
      digests: new Map([["edge", plan?.digest ?? ""]]),
      effects: new Map([["edge", plan?.effect ?? ""]]),
    };
    replaceDevice(world);
    expect((await world.reconcile({ write })).error?.code).toBe("other-device");
    world.others.clear();
    expect((await world.reconcile({ write })).error).toBeUndefined();
  });

  it("a saved plan and an approval", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const { plan } = await world.plan();
    const write = {
      digests: new Map([["edge", plan?.digest ?? ""]]),
      effects: new Map([["edge", plan?.effect ?? ""]]),
    };
    const other = replaceDevice(world);
    expect((await world.reconcile({ write })).error?.code).toBe("plan-moved");
    await world.adopt();
    expect((await world.reconcile({ write })).error?.code).toBe("plan-moved");
    expect(addressesOf(other.running)).not.toHaveProperty("a");
  });
});

describe("a pair", () => {
  const run = async (world: World, devices: readonly string[], more: Partial<RunOptions> = {}) =>
    await world.reconcile({ wrap: opened({ devices, role: "active" }), ...more });

  it("stays one device after a failover", async () => {
    const { world } = await managed();
    world.device.role = "active";
    expect((await run(world, ["0001", "0002"])).error).toBeUndefined();
    expect(devicesIn(world)).toEqual(["0001", "0002"]);
    const before = (await world.plan({ wrap: opened({ devices: ["0001", "0002"] }) })).plan?.digest;
    world.device.serial = "0002";
    const after = await world.plan({ wrap: opened({ devices: ["0002"], role: "active" }) });
    expect(guards(after)).toEqual([]);
    expect(after.plan?.digest, "approvals survive a failover").toBe(before);
    expect((await run(world, ["0002"])).error).toBeUndefined();
    expect(devicesIn(world), "the peer is down").toEqual(["0001", "0002"]);
    expect((await run(world, ["0002", "0001"])).error).toBeUndefined();
    expect(devicesIn(world)).toEqual(["0001", "0002"]);
  });

  it("may exchange one member, but not both at the same time", async () => {
    const { world } = await managed();
    world.device.role = "active";
    await run(world, ["0001", "0002"]);
    world.device.serial = "0002";
    expect((await run(world, ["0002", "0003"])).error).toBeUndefined();
    expect(devicesIn(world)).toEqual(["0002", "0003"]);
    expect((await run(world, ["0004", "0005"])).error?.code).toBe("other-device");
    expect((await run(world, ["0001", "0004"])).error?.code, "the replaced member is another device").toBe("other-device");
  });
});

describe("a ledger of an older version", () => {
  it("takes the device over with the first run that is verified", async () => {
    const { world, want } = await managed();
    const file = join(world.folder, "ledger.json");
    const all = JSON.parse(readFileSync(file, "utf8")) as { ledgers: Record<string, Record<string, string>> };
    const text = all.ledgers["netops-edge"]?.edge ?? "";
    const { devices: _, ...older } = JSON.parse(text);
    all.ledgers["netops-edge"] = { edge: JSON.stringify(older) };
    writeFileSync(file, JSON.stringify(all));
    expect(devicesIn(world)).toBeUndefined();
    want({ a: "10.0.0.1", b: "10.0.0.3" });
    expect(guards(await world.plan())).toEqual([]);
    expect(devicesIn(world)).toBeUndefined();
    expect((await world.reconcile()).error).toBeUndefined();
    expect(devicesIn(world)).toEqual(["0001"]);
  });
});

describe("a cloud", () => {
  it("is another one if the target leads to another project", async () => {
    const world = (await CloudWorld.start()).want("security_groups: { web: {}, old: {} }");
    expect((await world.reconcile()).error).toBeUndefined();
    world.want("security_groups: { web: {} }");
    expect(deleted(await world.plan())).toBe(1);
    world.user = "admin";
    world.project = "admin";
    const plan = await world.plan();
    expect(deleted(plan)).toBe(0);
    expect(guards(plan)).toContain("other-device");
    expect(plan.plan?.refusals.find(({ guard }) => guard === "other-device")?.message).toMatch(/project \S+ at http.* answers/);
    expect((await world.reconcile()).error?.code).toBe("other-device");
    expect((await world.adopt()).error).toBeUndefined();
    expect(guards(await world.plan())).not.toContain("other-device");
  });
});

/** Changes the target's reported device. */
function opened({ devices, role }: { devices: readonly string[]; role?: "active" }) {
  return (target: WriteTarget): WriteTarget =>
    new Proxy(target, {
      get: (real, key) => {
        const value: unknown = Reflect.get(real, key, real);
        if (key !== "open") return typeof value === "function" ? value.bind(real) : value;
        return async () => {
          const { identity, ...rest } = await real.open();
          const [serial] = devices;
          return { ...rest, devices, identity: { ...identity, serial, role: role ?? identity.role } };
        };
      },
    });
}

describe("a network controller", () => {
  const NETWORK = "{ network_ipam_refs: { default-domain:default-project:default-network-ipam: { ipam_subnets: { 10.1.0.0/24: {} } } } }";
  const wanting = (...names: string[]): string =>
    `virtual-networks:\n${names.map((name) => `  default-domain:demo:${name}: ${NETWORK.replaceAll("10.1", `10.${name.length}`)}\n`).join("")}`;

  it("is another one if its first objects have other ids", async () => {
    const world = await ControllerWorld.start();
    const other = await ControllerWorld.start();
    for (const each of [world, other]) await each.reconciled(wanting("old", "kept"));
    world.want(wanting("kept"));
    expect(deleted(await world.plan())).toBe(1);
    const moved = { pass: { environment: { PLUMBLINE_TARGET_FABRIC_URL: other.lab.url } } };
    const plan = await world.plan(moved);
    expect(deleted(plan)).toBe(0);
    expect(guards(plan)).toContain("other-device");
    const since = other.lab.journal.length;
    expect((await world.reconcile(moved)).error?.code).toBe("other-device");
    expect(other.writes(since)).toEqual([]);
    expect((await world.adopt(moved)).error).toBeUndefined();
    expect(guards(await world.plan(moved))).not.toContain("other-device");
    expect(guards(await world.plan())).toContain("other-device");
  });

  it("stays the same one if the account may read only one of these objects", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(wanting("kept"));
    world.lab.fault({ match: { path: "/fqname-to-id" }, effect: { kind: "status", status: 403, text: "no" }, count: 1 });
    expect(guards(await world.plan())).toEqual([]);
    world.lab.fault({ match: { path: "/fqname-to-id" }, effect: { kind: "status", status: 403, text: "no" }, count: 2 });
    expect(guards(await world.plan()), "no identity is another one").toContain("other-device");
  });
});
