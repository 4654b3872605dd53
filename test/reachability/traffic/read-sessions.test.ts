import { describe, expect, it } from "vitest";
import type { LogMark } from "../../../src/reachability/traffic/kept-traffic.js";
import { type ReadSessions, readSessions } from "../../../src/reachability/traffic/read-sessions.js";
import { BoxLog } from "../box-log.js";

const MINUTE = 60_000;
const KEEP = 7 * 24 * 60 * MINUTE;

/** Reads a log repeatedly and adds up the results. */
class Follower {
  readonly log: BoxLog;
  mark: LogMark | undefined;
  times = 0;
  unread = 0;
  /** Time zone of the agent. */
  now = 1_000_000_000;
  hours: ReadSessions["hours"] = new Map();

  constructor(log: BoxLog) {
    this.log = log;
  }

  async read(bounds?: { readonly first: number; readonly next: number }): Promise<ReadSessions> {
    const { log, mark, now } = this;
    const { sessionLog } = log;
    const stop = new AbortController().signal;
    const read = await readSessions({ logs: log, sessionLog, target: "edge", before: mark, keep: KEEP, now, stop, bounds });
    this.mark = read.mark;
    this.hours = read.hours;
    for (const { flows, unread } of read.hours.values()) {
      this.times += flows.reduce((sum, { times }) => sum + times, 0);
      this.unread += unread;
    }
    return read;
  }

  /** Both clocks. */
  pass(milliseconds: number): void {
    this.now += milliseconds;
    this.log.clock += milliseconds;
  }
}

const followed = () => new Follower(new BoxLog());

describe("repeated reads of a log", () => {
  it("return each session once, also many per second, and the end of the read part", async () => {
    const follower = followed();
    const { log } = follower;
    let made = 0;
    let random = 7;
    const draw = (below: number): number => {
      random = (random * 48_271) % 2_147_483_647;
      return random % below;
    };
    for (let round = 0; round < 60; round++) {
      for (let n = draw(40); n > 0; n--, made++) {
        log.session({ src: `10.0.0.${draw(5)}`, repeatcnt: "1" });
        if (draw(3) === 0) follower.pass(draw(1500));
      }
      if (draw(6) === 0) log.commit();
      if (draw(8) === 0) log.session({ subtype: "start" });
      await follower.read();
      expect(follower.times).toBe(made);
      follower.pass(draw(4) * 20 * MINUTE);
    }
    expect(made).toBeGreaterThan(500);
    expect(follower.mark).toMatchObject({ gaps: [], since: "2026/11/13 10:00:00", read: follower.mark?.clock });
  });

  it("count unreadable records like sessions", async () => {
    const follower = followed();
    follower.log.session({ src: "nowhere" });
    follower.log.session({ repeatcnt: "5" });
    await follower.read();
    expect([follower.times, follower.unread]).toEqual([5, 1]);
  });

  it("distinguish sessions by hour, fixed source ports, and start before or after the last commit", async () => {
    const follower = followed();
    const { log } = follower;
    log.session({ sport: "2000" });
    log.session({ sport: "60000" });
    log.session({ sport: "53" });
    log.commit();
    follower.pass(MINUTE);
    log.session({ sport: "3000" });
    follower.pass(60 * MINUTE);
    log.session();
    await follower.read();
    expect([...follower.hours].map(([hour, { flows }]) => [hour, flows.length])).toEqual([
      ["2026/11/20 11:00:00", 1],
      ["2026/11/20 10:00:00", 3],
    ]);
    const flows = follower.hours
      .get("2026/11/20 10:00:00")
      ?.flows.map(({ session, began }) => [session.sourcePort, session.lastSourcePort, began]);
    expect(flows).toEqual([
      [3000, undefined, "2026/11/20 10:01:00"],
      [53, undefined, ""],
      [2000, 60_000, ""],
    ]);
  });

  it("start again if a commit happens during a read, and stop after too many", async () => {
    const follower = followed();
    const { log } = follower;
    log.session();
    let commits = 1;
    log.afterPage = () => {
      if (commits-- > 0) log.commit();
    };
    await follower.read();
    expect([follower.times, follower.mark?.lastCommit]).toEqual([1, "2026/11/20 10:00:00"]);
    log.afterPage = () => {
      follower.pass(1000);
      log.commit();
    };
    await expect(follower.read()).rejects.toMatchObject({ code: "traffic-not-kept" });
    expect(follower.times).toBe(1);
  });
});

describe("a changed log", () => {
  const filled = async (): Promise<Follower> => {
    const follower = followed();
    for (let n = 0; n < 10; n++, follower.pass(1000)) follower.log.session();
    await follower.read();
    follower.pass(MINUTE);
    return follower;
  };

  it.each([
    ["cleared, and its numbers go on", false],
    ["cleared, and its numbers begin anew", true],
  ])("was %s: what is there counts once, and it is said from when to when some may be missing", async (_, beginAnew) => {
    const follower = await filled();
    const { log } = follower;
    log.session();
    log.records_ = [];
    if (beginAnew) log.number = 0;
    follower.pass(MINUTE);
    log.session();
    log.session();
    for (let n = 0; n < 3; n++, follower.pass(MINUTE)) await follower.read();
    expect(follower.times).toBe(12);
    expect(follower.mark?.gaps).toEqual([{ from: "2026/11/20 10:00:09", to: "2026/11/20 10:02:10", why: "log" }]);
  });

  it("was cleared while it contained nothing new", async () => {
    const follower = await filled();
    follower.log.records_ = [];
    await follower.read();
    expect([follower.times, follower.mark?.gaps.length]).toEqual([10, 1]);
  });

  it("is overwritten during a read, which is reported", async () => {
    const follower = await filled();
    const { log } = follower;
    for (let n = 0; n < 12_000; n++) log.session();
    log.afterPage = () => {
      log.records_.splice(0, 3_000);
      log.afterPage = undefined;
    };
    await follower.read();
    expect(follower.times).toBeLessThan(12_010);
    expect(follower.mark?.gaps).toMatchObject([{ why: "log" }]);
  });

  it.each([
    ["an hour back", -60 * MINUTE],
    ["ten minutes back, and had gone by more by then", -10 * MINUTE],
    ["a day ahead", 24 * 60 * MINUTE],
  ])("has a clock that was set %s: nothing is lost or counted twice, and it is said", async (_, jump) => {
    const follower = await filled();
    const { log } = follower;
    log.session();
    log.clock += jump;
    log.session();
    follower.pass(15 * MINUTE);
    log.session();
    for (let n = 0; n < 3; n++, follower.pass(MINUTE)) await follower.read();
    log.session();
    await follower.read();
    expect(follower.times).toBe(14);
    expect(follower.mark?.gaps).toMatchObject([{ why: "clock" }]);
  });

  it("has records without numbers, which are not stored", async () => {
    const follower = followed();
    follower.log.session({ seqno: "" });
    await expect(follower.read()).rejects.toMatchObject({ code: "traffic-not-kept" });
  });
});

describe("a long log", () => {
  it("is read from its newest records first, and then in parts", async () => {
    const follower = followed();
    const { log } = follower;
    const bounds = { first: 200, next: 100 };
    for (let n = 0; n < 201; n++) {
      log.session();
      if (n % 20 === 0) log.clock += 10_000;
    }
    const first = await follower.read(bounds);
    expect([follower.times, first.more, follower.mark?.since]).toEqual([200, false, "2026/11/20 10:00:10"]);
    for (let n = 0; n < 150; n++) {
      if (n % 20 === 0) follower.pass(6000);
      log.session();
    }
    const [second, third] = [await follower.read(bounds), await follower.read(bounds)];
    expect([second.more, third.more, follower.times]).toEqual([true, false, 350]);
    expect([second.mark.read < third.mark.read, follower.mark?.gaps]).toEqual([true, []]);
  });

  it("is reported if it fills faster than it is read", async () => {
    const follower = followed();
    await follower.read();
    for (let n = 0; n < 100; n++) follower.log.session();
    await follower.read();
    await expect(follower.read({ first: 1, next: 100 })).rejects.toMatchObject({ code: "traffic-not-kept" });
  });
});
