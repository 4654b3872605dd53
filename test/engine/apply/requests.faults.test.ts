import { afterEach, describe, expect, it } from "vitest";
import type { Effect } from "../../../src/lab/panos/faults/fault.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { prepare, WANTED } from "./killing.js";
import { LabWorld } from "./lab-world.js";
import { ADDRESS, addressesOf, BARE } from "./scenes.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const FOREIGN = {
  type: "config",
  action: "set",
  xpath: "/config/shared/address",
  element: "<entry name='half-done'><fqdn>a.example</fqdn></entry>",
};

const FAULTS: readonly Effect[] = [
  { kind: "delay", milliseconds: 20 },
  { kind: "drop" },
  { kind: "drop-reply" },
  { kind: "cut", announced: "sent" },
  { kind: "cut", announced: "whole" },
  { kind: "html", status: 200 },
  { kind: "html", status: 414 },
  { kind: "status", status: 502 },
  { kind: "content-type", value: "text/plain" },
  { kind: "huge", bytes: 2_000_000 },
  { kind: "revoke-key" },
  { kind: "busy" },
  { kind: "job-fails" },
  { kind: "job-does-nothing" },
  { kind: "lock", lock: "config", admin: "alice" },
  { kind: "act", admin: "alice", params: FOREIGN },
];

/** Faults that each request meets in the normal tests; the soak tests give it all. */
const AT_ONCE = process.env.PLUMBLINE_SOAK === undefined ? 2 : FAULTS.length;

async function preparedWorld(): Promise<LabWorld> {
  const world = await LabWorld.start(BARE, { strict: true });
  worlds.push(world);
  await prepare(world);
  return world;
}

async function requestsOfARun(): Promise<number> {
  const world = await preparedWorld();
  const { journal } = world.lab.device.state;
  const before = journal.length;
  await world.reconcile();
  return journal.length - before;
}

/** One run has one fault. It ends cleanly or reports that it did not. The next run without faults converges. */
async function meet(effect: Effect, nth: number): Promise<void> {
  const world = await preparedWorld();
  const { device } = world.lab;
  world.lab.fault({ match: { nth }, effect });
  const outcome = await world.reconcile();
  world.lab.clearFaults();
  expect(device.state.journal.flatMap(({ faults }) => faults)).toContain(effect.kind);
  const code = exitCode([outcome]);
  const ours = device.state.candidate.pending.filter(({ stamp }) => stamp.admin === "netops");
  if (code === 0) expect(addressesOf(device.state.running)).toEqual({ theirs: "192.0.2.9", ...WANTED });
  else expect(outcome.error?.next).toBeDefined();
  if (code !== 4) expect(ours).toEqual([]);
  expect(outcome.error?.code).not.toBe("unexpected");

  device.act("alice", { type: "op", cmd: "<request><config-lock><remove/></config-lock></request>", vsys: "shared" });
  const next = await world.reconcile({ machine: { isAlive: () => false } });
  expect(next.error).toBeUndefined();
  expect(addressesOf(device.state.running)).toEqual({ theirs: "192.0.2.9", ...WANTED });
  expect(addressesOf(device.state.running, "/config/shared/address")).toEqual({ common: "192.0.2.1" });
  expect(device.state.violations).toEqual([]);
}

describe("a fault at any request of a run", async () => {
  const requests = Array.from({ length: await requestsOfARun() }, (_, i) => i + 1);
  const meetings = requests.flatMap((nth) =>
    Array.from({ length: AT_ONCE }, (_, i) => ({ nth, effect: FAULTS[(nth * AT_ONCE + i) % FAULTS.length] ?? { kind: "drop" as const } })),
  );

  it.each(meetings)("$effect.kind at request $nth: clean or complete, and the next run converges", async ({ nth, effect }) => {
    await meet(effect, nth);
  });
});

describe("a commit job that never ends", () => {
  it("is limited, reported, and leaves the lock as a sign", async () => {
    const world = await preparedWorld();
    world.lab.fault({ match: { type: "commit" }, effect: { kind: "job-never-ends" } });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-unknown", severity: "partial", message: expect.stringContaining("has not ended") });
    expect(exitCode([outcome])).toBe(4);
    expect(world.lab.device.state.locks.list("config", "shared").map(({ owner }) => owner)).toEqual(["netops"]);
    expect(addressesOf(world.lab.device.state.running, ADDRESS)).not.toMatchObject(WANTED);
  });
});
