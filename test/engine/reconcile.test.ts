import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { exitCode } from "../../src/outcome/outcome.js";
import type { Wire } from "./apply/device-target.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "./apply/scenes.js";
import { World } from "./apply/world.js";

const WANTED = { a: "10.0.0.1", b: "10.0.0.2" };
const SHARED = "/config/shared/address";

describe("one pass", () => {
  it("plans without a write", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    const outcome = await world.plan();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(2);
    expect(world.device.events).toEqual([]);
  });

  it("writes, commits once, reads back, and has nothing to do the second time", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(outcome.applied).toMatchObject({ commit: "committed", proven: true, requests: 1 });
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", ...WANTED });
    expect(world.device.jobs).toHaveLength(1);
    expect(world.device.locks).toEqual([]);
    const events = world.device.events.length;
    const second = await world.reconcile();
    expect(exitCode([second])).toBe(0);
    expect(second.applied).toMatchObject({ operations: 0, commit: "none", proven: true });
    expect(world.device.events).toHaveLength(events);
  });

  it("describes the commit by run, digest, sha and author", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    const outcome = await world.reconcile();
    expect(world.device.jobs[0]?.description).toMatch(/^plumbline 20260102T030405Z-a1-1-r1\.1 [0-9a-f]{64} - -$/);
    expect(world.device.jobs[0]?.description).toContain(outcome.plan?.digest);
  });

  it("deletes rows of the ledger that documents no longer declare, and nothing else", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1" });
    expect(readFileSync(join(world.folder, "ledger.json"), "utf8")).not.toContain("@name='b'");
  });

  it("reports drift with old and new values, and cannot write", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await world.reconcile();
    world.device.write("alice", [setAddress(ADDRESS, "a", "10.9.9.9")]);
    world.device.commit("alice", "by hand", false);
    const events = world.device.events.length;
    const outcome = await world.drift();
    expect(outcome.error).toBeUndefined();
    expect(outcome.drift?.items.map(({ change }) => `${change.kind} ${change.path}`)).toEqual([
      `differs ${ADDRESS}/entry[@name='a']/ip-netmask`,
    ]);
    expect(exitCode([outcome])).toBe(2);
    expect(world.device.events).toHaveLength(events);
  });

  it("compares drift with running, not with pending changes", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await world.reconcile();
    world.device.write("alice", [setAddress(ADDRESS, "a", "10.9.9.9")]);
    const outcome = await world.drift();
    expect(outcome.drift?.items).toEqual([]);
    expect(outcome.drift?.pending).toMatchObject([{ owner: "alice" }]);
  });

  it("commits a matching candidate", async () => {
    const world = new World(BARE).want(addresses({ theirs: "192.0.2.9" }));
    await world.reconcile();
    world.want(addresses({ theirs: "192.0.2.10" }));
    world.device.write("netops", [setAddress(ADDRESS, "theirs", "192.0.2.10")]);
    const outcome = await world.reconcile({ write: { takeover: true } });
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.10" });
  });

  it("only plans an observed target", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    const file = join(world.folder, "plumbline.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("mode: enforce", "mode: observe"));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(2);
    expect(world.device.events).toEqual([]);
  });

  it("refuses an unknown target", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await expect(world.plan({ pass: { targets: ["egde"] } })).rejects.toMatchObject({ code: "target-unknown" });
  });

  it("refuses a device that is not active", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    world.device.role = "passive";
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "not-active" });
    expect(exitCode([outcome])).toBe(3);
    expect(world.device.pending).toEqual([]);
  });

  it("commits no pending work of others", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    world.device.write("alice", [setAddress(SHARED, "half", "10.5.5.5")]);
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(world.device.running)).toMatchObject(WANTED);
    expect(addressesOf(world.device.running, SHARED)).toEqual({ common: "192.0.2.1" });
    expect(world.device.pending.map((change) => change.admin)).toEqual(["alice"]);
  });

  it("refuses while others have pending work at its paths", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    world.device.write("alice", [setAddress(ADDRESS, "a", "10.5.5.5")]);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(world.device.pending.map((change) => change.admin)).toEqual(["alice"]);
    expect(world.device.locks).toEqual([]);
  });

  it("refuses to write while the ledger is unreadable", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    writeFileSync(join(world.folder, "ledger.json"), "{");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "ledger-unreadable" });
    expect(world.device.events).toEqual([]);
    expect(exitCode([await world.plan()])).toBe(2);
  });
});

it("reports the stop of a run, not the advice of a connection that the stop closed", async () => {
  const world = new World(BARE).want(addresses(WANTED));
  const stop = new AbortController();
  const closed = new PlumblineError("request-timed-out", "no answer", { next: "Check the permissions." });
  const wire: Wire = {
    before(call) {
      if (call !== "read") return;
      stop.abort();
      throw closed;
    },
  };
  const { error } = await world.reconcile({ wire, pass: { stop: stop.signal } });
  expect(error).toMatchObject({ code: "interrupted", next: "Run again." });
});

describe("several targets", () => {
  it("do not stop each other: possible changes are applied, others are reported", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    const core = world.add("core", BARE, addresses({ z: "10.1.1.1" }).replace("target: edge", "target: core"));
    core.role = "passive";
    const outcomes = await world.reconcileAll();
    expect(outcomes.map(({ target, error }) => [target, error?.code])).toEqual([
      ["edge", undefined],
      ["core", "not-active"],
    ]);
    expect(addressesOf(world.device.running)).toMatchObject(WANTED);
    expect(core.pending).toEqual([]);
    expect(exitCode(outcomes)).toBe(4);
  });
});

describe("an exclusive list", () => {
  const exclusive = addresses(WANTED).replace("config:", "owns: { address: exclusive }\nconfig:");

  it("is refused at first contact, adopted, and then contains only declared entries", async () => {
    const world = new World(BARE).want(exclusive);
    const first = await world.reconcile();
    expect(exitCode([first])).toBe(3);
    expect(first.error?.message).toContain("first-contact");
    expect(world.device.pending).toEqual([]);
    expect((await world.adopt()).error).toBeUndefined();
    expect(world.device.events.filter(({ kind }) => kind === "write" || kind === "commit")).toEqual([]);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual(WANTED);
  });
});
