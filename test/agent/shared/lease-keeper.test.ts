import { expect, it } from "vitest";
import type { AgentClock } from "../../../src/agent/clock.js";
import { DatabaseClock } from "../../../src/agent/shared/database-clock.js";
import { LeaseKeeper } from "../../../src/agent/shared/lease-keeper.js";
import { readSaved, writeSaved } from "../../../src/agent/shared/saved-state.js";
import type { Grant } from "../../../src/agent/store/shared/leases.js";
import type { SharedWork } from "../../../src/agent/store/shared/shared-work.js";
import { newState } from "../../../src/agent/visit-parts.js";

const MEMBER = { id: "me", host: "h", hostname: "noc", pid: 1, started: 0, version: "1", goneAfter: 45_000 };
const GRANT: Grant = {
  target: "edge",
  holder: "me",
  fence: 3,
  tookOver: false,
  wanted: undefined,
  pending: undefined,
  touched: undefined,
  wave: undefined,
  turn: undefined,
  commit: "c",
  state: "{}",
};

/** Time of the database at the start. */
const DATABASE = 1_000_000;

function keeperOf(renewed: ReadonlyMap<string, number>) {
  const time = { now: 0, isAway: false };
  const machine: AgentClock = { now: () => 0, monotonic: () => time.now, sleep: async () => undefined, random: () => 0 };
  const clock = new DatabaseClock(machine);
  const removals: number[] = [];
  const members = {
    beat: async () => (time.isAway ? Promise.reject(new Error("away")) : DATABASE + time.now),
    bury: async (now: number) => void removals.push(now),
  };
  const leases = {
    renew: async () => {
      // The database answers late. The lease counts from the time of the request.
      time.now += 5_000;
      return renewed;
    },
  };
  return { keeper: new LeaseKeeper({ leases, members } as unknown as SharedWork, MEMBER, 30_000, clock), time, clock, removals };
}

it("a lease ends locally before it does in the database: counted from before the request, less a tenth", async () => {
  const { keeper, time } = keeperOf(new Map([["edge", 3]]));
  time.now = 4_000;
  const lease = keeper.hold(GRANT, 0, false);
  time.now = 26_999;
  expect(() => lease.mayWrite()).not.toThrow();
  time.now = 27_000;
  expect(() => lease.mayWrite()).toThrow("no longer holds the lease");
});

it("is extended by a renewal, and not if another holder has it", async () => {
  const ours = keeperOf(new Map([["edge", 3]]));
  const lease = ours.keeper.hold(GRANT, 0, false);
  ours.time.now = 20_000;
  await ours.keeper.beat();
  ours.time.now = 46_999;
  expect(() => lease.mayWrite()).not.toThrow();
  ours.time.now = 47_000;
  expect(() => lease.mayWrite()).toThrow();
  const theirs = keeperOf(new Map([["edge", 4]]));
  const lost = theirs.keeper.hold(GRANT, 0, false);
  theirs.time.now = 20_000;
  await theirs.keeper.beat();
  theirs.time.now = 27_000;
  expect(() => lost.mayWrite()).toThrow();
});

it("takes the time from the database", async () => {
  const { keeper, clock, time } = keeperOf(new Map());
  expect(clock.now()).toBe(0);
  await keeper.beat();
  time.now += 1_000;
  expect(clock.now()).toBe(DATABASE + 1_000);
});

it("removes no silent member after an outage of the database, before the others could show that they are alive", async () => {
  const { keeper, time, removals } = keeperOf(new Map());
  await keeper.beat();
  expect(removals).toEqual([DATABASE]);
  time.now = 10_000;
  await keeper.beat();
  time.isAway = true;
  for (const now of [20_000, 30_000, 40_000, 50_000]) {
    time.now = now;
    await keeper.beat().catch(() => undefined);
  }
  time.isAway = false;
  for (const now of [60_000, 85_000, 104_999, 105_000]) {
    time.now = now;
    await keeper.beat();
  }
  expect(removals).toEqual([DATABASE, DATABASE + 10_000, DATABASE + 105_000]);
});

it("the memory of a target goes to the next agent, including fields of newer versions", () => {
  const state = { ...newState(), held: "window" as const, unreachable: 2, reportedRefusals: "d" };
  const { state: again, ...others } = readSaved(writeSaved(state, { touched: "c1", healsForgotten: 5, takenOver: 7, by: "me" }));
  expect(again).toMatchObject({ held: "window", unreachable: 2, reportedRefusals: "d", commitPending: false });
  expect(others).toEqual({ touched: "c1", healsForgotten: 5, takenOver: 7, by: "me" });
  // As the version before followers waited for one another wrote it.
  const older = readSaved('{"held":"window","unreachable":2,"by":"noc-1:17:1f0c"}');
  expect(older).toMatchObject({ by: "noc-1:17:1f0c", state: { held: "window", unreachable: 2, tried: undefined, commitPending: false } });
  expect(readSaved('{"newer":{}}').state).toEqual(newState());
  expect(readSaved("null").state).toEqual(newState());
});
