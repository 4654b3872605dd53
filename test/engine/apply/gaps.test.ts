import { describe, expect, it } from "vitest";
import type { Effect, Match } from "../../../src/lab/panos/faults/fault.js";
import { afterTest } from "../../after-test.js";
import { LabWorld } from "./lab-world.js";
import { ADDRESS, addresses, addressesOf, BARE } from "./scenes.js";

/** Another administrator acts between two requests of the run, in each gap that fewer or concurrent requests have created. */

const OLD = { a: "10.0.0.1" };
const NEW = { a: "10.0.0.9" };
const LISTS: Match = { cmd: "<list><changes>" };
const LOCKING: Match = { cmd: "<config-lock><add>" };
const RELEASE = "<request><config-lock><remove><admin>netops</admin></remove></config-lock></request>";

const sets = (element: string, xpath = ADDRESS): Effect => ({
  kind: "act",
  admin: "alice",
  params: { type: "config", action: "set", xpath, element },
});
const A_AS_WANTED = sets(`<entry name='a'><ip-netmask>${NEW.a}</ip-netmask></entry>`);

async function changed(): Promise<LabWorld> {
  const world = await LabWorld.start(BARE, { strict: true });
  afterTest(() => world.close());
  world.want(addresses(OLD));
  expect((await world.reconcile()).error).toBeUndefined();
  world.want(addresses(NEW));
  return world;
}

/** Returns the result of a run during which this happens, and the state of the device. */
async function meeting(match: Match, effect: Effect) {
  const world = await changed();
  const { state } = world.lab.device;
  const before = state.journal.length;
  world.lab.fault({ match, effect });
  const { error, applied, plan } = await world.reconcile();
  const sent = state.journal.slice(before);
  expect(sent.flatMap(({ faults }) => faults)).toContain(effect.kind);
  return {
    code: error?.code,
    guards: plan?.refusals.map(({ guard }) => guard),
    applied,
    running: addressesOf(state.running).a,
    ours: state.candidate.pending.filter(({ stamp }) => stamp.admin === "netops").length,
    locks: [...state.locks.list("config", "all"), ...state.locks.list("commit", "all")].map(({ owner }) => owner),
    wrote: sent.some(({ params }) => params.action === "multi-config"),
  };
}

describe("an administrator", () => {
  it('who starts a desired change just before the read prevents "in sync"', async () => {
    expect(await meeting({ action: "get", nth: 1 }, A_AS_WANTED)).toMatchObject({ code: "foreign-change", running: OLD.a, wrote: false });
  });

  it("who changes an overwritten value just before the lock causes a new plan", async () => {
    const theirs = sets("<entry name='a'><ip-netmask>10.7.7.7</ip-netmask></entry>");
    expect(await meeting(LOCKING, theirs)).toMatchObject({
      code: "plan-refused",
      guards: ["foreign-changes"],
      running: OLD.a,
      wrote: false,
      locks: [],
    });
  });

  it.each([
    ["the lock that we are about to take", LOCKING, { kind: "lock", lock: "config", admin: "alice", scope: "shared" }],
    ["a lock on commits while we read", { action: "get", nth: 1 }, { kind: "lock", lock: "commit", admin: "alice", scope: "shared" }],
    ["a lock on a part of it while we read", { action: "get", nth: 1 }, { kind: "lock", lock: "config", admin: "alice", scope: "vsys1" }],
  ] as const)("who takes %s is named, and nothing is written", async (_, match, effect) => {
    expect(await meeting(match, effect)).toMatchObject({ code: "locked-by-other", ours: 0, locks: ["alice"], wrote: false });
  });

  it("who held the lock has changed values that were read: everything is read again", async () => {
    const world = await changed();
    const { device } = world.lab;
    world.want(addresses({ ...NEW, b: "10.0.0.2" }));
    expect((await world.reconcile()).error).toBeUndefined();
    world.want(addresses({ ...OLD, b: "10.0.0.2" }));
    world.lab.fault({ match: LOCKING, effect: { kind: "lock", lock: "config", admin: "alice", scope: "shared" } });
    world.sleep = async () => {
      device.act("alice", {
        type: "config",
        action: "set",
        xpath: ADDRESS,
        element: "<entry name='b'><ip-netmask>10.7.7.7</ip-netmask></entry>",
      });
      device.act("alice", { type: "commit", cmd: "<commit></commit>" });
      await new Promise((done) => setTimeout(done, 50));
    };
    const { error, applied } = await world.reconcile({ write: { lockTimeout: 60 } });
    expect([error, applied?.proven]).toEqual([undefined, true]);
    expect(addressesOf(device.state.running)).toEqual({ theirs: "192.0.2.9", ...OLD, b: "10.0.0.2" });
  });

  it("who locks a part after the check is reported by the device, and the started work is undone", async () => {
    const lock = { kind: "lock", lock: "config", admin: "alice", scope: "vsys1" } as const;
    expect(await meeting(LOCKING, lock)).toMatchObject({ code: "device-locked", running: OLD.a, ours: 0, locks: ["alice"] });
  });

  it.each([
    ["before the first write", 5, false],
    ["before our commit", 6, true],
  ] as const)("who takes our lock away %s stops us there", async (_, nth, wrote) => {
    const release: Effect = { kind: "act", admin: "alice", params: { type: "op", cmd: RELEASE, vsys: "shared" } };
    expect(await meeting({ ...LISTS, nth }, release)).toMatchObject({ code: "lock-lost", running: OLD.a, ours: 0, locks: [], wrote });
  });

  it("who edits during the read-back is distinguished from the commit", async () => {
    expect(await meeting({ action: "show" }, sets("<entry name='x'><ip-netmask>10.7.7.7</ip-netmask></entry>"))).toMatchObject({
      code: undefined,
      running: NEW.a,
      applied: { proven: true },
    });
  });
});
