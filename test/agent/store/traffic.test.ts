import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Store } from "../../../src/agent/store/store.js";
import { addressNumber } from "../../../src/core/address-range.js";
import type { LoggedSession } from "../../../src/reachability/policy-role.js";
import type { KeptHour, LogMark } from "../../../src/reachability/traffic/kept-traffic.js";
import type { ReadSessions } from "../../../src/reachability/traffic/read-sessions.js";
import { onEachDatabase } from "./each-database.js";

const T0 = Date.UTC(2026, 10, 20, 10, 30, 0);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEEP = 7 * DAY;
const QUARTER = 15 * 60_000;
const TEN = "2026/11/20 10:00:00";
const NINE = "2026/11/20 09:00:00";

const mark: LogMark = {
  ...{ since: "2026/11/13 10:00:00", until: "2026/11/20 10:29:00", number: "17", read: "2026/11/20 10:30:00" },
  ...{ clock: "2026/11/20 10:30:00", at: T0, lastCommit: "2026/11/20 10:10:00", gaps: [] },
};

function flow(source: string, more: Partial<LoggedSession> = {}, session: Partial<LoggedSession["session"]> = {}): LoggedSession {
  return {
    scope: "vsys1",
    session: {
      ...{ from: "web", to: "db", source: addressNumber(source) ?? 0n, destination: addressNumber("2001:db8::21") ?? 0n, protocol: 6 },
      ...{ port: 5432, sourcePort: 40_000, lastSourcePort: 40_000, application: "postgres", user: "unknown" as const },
      ...{ rule: { name: "web-to-db", uuid: "u-1" }, ...session },
    },
    ...{ source, destination: "2001:db8::21", service: "tcp/5432", application: "postgres" },
    ...{ began: "", seen: "2026/11/20 10:20:00", times: 1, bytes: 100, ...more },
  };
}

const hourOf = (...flows: readonly LoggedSession[]): KeptHour => ({ flows, unread: 0, cut: { flows: 0, sessions: 0 } });
const readOf = (hours: Readonly<Record<string, KeptHour>>, more: Partial<LogMark> = {}): ReadSessions => ({
  ...{ mark: { ...mark, ...more }, hours: new Map(Object.entries(hours)), more: false },
});

async function begun(store: Store, target = "edge"): Promise<void> {
  expect(await store.traffic.take(target, KEEP, T0, QUARTER)).toBe(true);
}

async function add(store: Store, read: ReadSessions, rows = 100, target = "edge", box = "0070"): Promise<boolean> {
  return await store.traffic.add(await store.traffic.log(target, box), read, rows);
}

async function hours(store: Store, target = "edge", since = ""): Promise<(KeptHour & { hour: string })[]> {
  const all: (KeptHour & { hour: string })[] = [];
  for await (const hour of (await store.traffic.of(target))?.hours(since) ?? []) all.push(hour);
  return all;
}

onEachDatabase("traffic that is kept", (database) => {
  it("is returned as stored, the newest hour first", async () => {
    const store = await database.store();
    await begun(store);
    const flows = [
      flow("10.0.0.1", { began: "2026/11/20 10:19:07", times: 3, bytes: 5e12 }, { sourcePort: 1025, lastSourcePort: 65_535 }),
      flow("2001:db8::1", { seen: "2026/11/20 10:00:00", application: "application not known" }, { application: undefined, user: "known" }),
      flow("10.0.0.1", { scope: "vsys2" }, { rule: { name: "ő\n'\"", uuid: undefined } }),
    ];
    const before = { [NINE]: { ...hourOf(flow("10.0.0.9", { seen: "2026/11/20 09:59:59" })), unread: 4 } };
    expect(await add(store, readOf({ ...before, [TEN]: hourOf(...flows) }))).toBe(true);
    expect(await hours(store)).toEqual([
      { hour: TEN, ...hourOf(...flows) },
      { hour: NINE, ...before[NINE] },
    ]);
    expect(await hours(store, "edge", TEN)).toHaveLength(1);
    const { since, read: until, lastCommit } = mark;
    expect(await store.traffic.of("edge")).toMatchObject({
      keep: KEEP,
      failure: undefined,
      boxes: [{ box: "0070", since, until, lastCommit }],
    });
    expect(await store.traffic.log("edge", "0070")).toMatchObject({ version: 1, mark });
    expect(await store.traffic.of("other")).toBeUndefined();
  });

  it("adds new flows of an hour to the stored ones, equal ones as one", async () => {
    const store = await database.store();
    await begun(store);
    await add(store, readOf({ [TEN]: hourOf(flow("10.0.0.1", { times: 2 }), flow("10.0.0.2")) }));
    const newer = flow("10.0.0.2", { seen: "2026/11/20 10:40:00" }, { sourcePort: 50_000, lastSourcePort: 50_001 });
    expect(await add(store, readOf({ [TEN]: hourOf(newer, flow("10.0.0.3")) }))).toBe(true);
    const [only] = await hours(store);
    expect(only?.flows.map(({ source, times, seen, bytes }) => [source, times, seen, bytes])).toEqual([
      ["10.0.0.2", 2, "2026/11/20 10:40:00", 200],
      ["10.0.0.3", 1, "2026/11/20 10:20:00", 100],
      ["10.0.0.1", 2, "2026/11/20 10:20:00", 100],
    ]);
    expect(only?.flows[0]?.session).toMatchObject({ sourcePort: 40_000, lastSourcePort: 50_001 });
  });

  it("counts nothing twice if two agents read the same log", async () => {
    const location = await database.fresh();
    const [one, other] = [await database.open(location), await database.open(location)];
    await begun(one);
    const read = readOf({ [TEN]: hourOf(flow("10.0.0.1")) });
    for (const round of [1, 2]) {
      const logs = [await one.traffic.log("edge", "0070"), await other.traffic.log("edge", "0070")] as const;
      const kept = await Promise.all([one.traffic.add(logs[0], read, 100), other.traffic.add(logs[1], read, 100)]);
      expect(kept.filter((each) => each)).toHaveLength(1);
      expect((await hours(other))[0]?.flows).toMatchObject([{ times: round }]);
    }
  });

  it("gives one agent the turn of a log, until the next, also if a clock is set back", async () => {
    const location = await database.fresh();
    const [one, other] = [await database.open(location), await database.open(location)];
    const both = (now: number) => Promise.all([one, other].map((store) => store.traffic.take("edge", KEEP, now, QUARTER)));
    expect((await both(T0)).sort()).toEqual([false, true]);
    expect(await both(T0 + QUARTER - 1)).toEqual([false, false]);
    expect((await both(T0 + QUARTER)).sort()).toEqual([false, true]);
    expect((await both(T0 - DAY)).sort()).toEqual([false, true]);
    await one.traffic.note("edge", { next: T0 - DAY });
    expect(await other.traffic.take("edge", KEEP, T0 - DAY, QUARTER)).toBe(true);
  });

  it("drops the rarest flows of the largest hours above the limit, and reports how many", async () => {
    const store = await database.store();
    await begun(store);
    const many = (count: number, at: string) =>
      hourOf(...Array.from({ length: count }, (_, n) => flow(`10.0.${at.slice(11, 13)}.${n}`, { times: n + 1, seen: at })));
    await add(store, readOf({ [NINE]: many(100, NINE), [TEN]: many(5, TEN) }), 40);
    const [ten, nine] = await hours(store);
    expect([ten?.flows.length, ten?.cut]).toEqual([5, { flows: 0, sessions: 0 }]);
    expect([nine?.flows.length, nine?.cut]).toEqual([31, { flows: 69, sessions: (69 * 70) / 2 }]);
    expect(Math.min(...(nine?.flows ?? []).map(({ times }) => times))).toBe(70);
    // Repeats with an hour that is already truncated, and with a limit on the result.
    await add(store, readOf({ "2026/11/20 11:00:00": many(100, "2026/11/20 11:00:00") }), 40);
    const all = await hours(store);
    expect(all.reduce((sum, { flows }) => sum + flows.length, 0)).toBe(36);
    expect(all.reduce((sum, { flows, cut }) => sum + cut.sessions + flows.reduce((of, { times }) => of + times, 0), 0)).toBe(
      5050 + 5050 + 15,
    );
  });

  it("deletes data beyond the retention, by hour, also of a target that is no longer read", async () => {
    const store = await database.store();
    await begun(store);
    await add(store, readOf({ [NINE]: hourOf(flow("10.0.0.1", { seen: NINE })), [TEN]: hourOf(flow("10.0.0.1")) }));
    const prune = (now: number) => store.prune({ age: 400 * DAY, rows: 100, batch: 100 }, now);
    const nineIsOver = T0 - HOUR / 2;
    await prune(nineIsOver + KEEP);
    expect(await hours(store)).toHaveLength(2);
    await prune(nineIsOver + KEEP + HOUR / 2);
    expect((await hours(store)).map(({ hour }) => hour)).toEqual([TEN]);
    expect(await store.traffic.targets()).toEqual(["edge"]);
    await prune(T0 + KEEP + HOUR);
    expect([await store.traffic.targets(), await store.traffic.of("edge")]).toEqual([[], undefined]);
    expect(await store.traffic.log("edge", "0070")).toMatchObject({ version: 0 });
  });

  it("is deleted completely, and a running read stores nothing of it", async () => {
    const store = await database.store();
    for (const target of ["edge", "core"]) {
      await begun(store, target);
      await add(store, readOf({ [TEN]: hourOf(flow("10.0.0.1")) }), 100, target);
    }
    const log = await store.traffic.log("edge", "0070");
    await store.traffic.forget("edge");
    expect(await store.traffic.add(log, readOf({ [TEN]: hourOf(flow("10.0.0.1")) }), 100)).toBe(false);
    expect([await store.traffic.targets(), await hours(store), (await hours(store, "core")).length]).toEqual([["core"], [], 1]);
  });

  it("has the logs of both members of a pair, and reports an unreadable one", async () => {
    const store = await database.store();
    await begun(store);
    await add(store, readOf({ [TEN]: hourOf(flow("10.0.0.1")) }));
    const gap = { from: NINE, to: TEN, why: "log" } as const;
    const read = { at: T0 + QUARTER, read: "2026/11/20 10:45:00", gaps: [gap] };
    await add(store, readOf({ [TEN]: hourOf(flow("10.0.0.1")) }, read), 100, "edge", "0071");
    await store.traffic.note("edge", { failure: "it is away" });
    const kept = await store.traffic.of("edge");
    expect(kept).toMatchObject({ failure: "it is away", gaps: [gap], boxes: [{ box: "0071", until: read.read }, { box: "0070" }] });
    expect(await hours(store)).toHaveLength(2);
    await add(store, readOf({}));
    expect((await store.traffic.of("edge"))?.failure).toBeUndefined();
  });

  it("is read consistently while it is written", async () => {
    const location = await database.fresh();
    const [writer, reader] = [await database.open(location), await database.open(location)];
    await begun(writer);
    const round = (n: number) =>
      add(writer, readOf({ [NINE]: hourOf(flow("10.0.0.1", { seen: NINE })), [TEN]: hourOf(flow("10.0.0.1")) }, { number: `${n}` }));
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; n < 30; n++) await round(n);
      isOver = true;
    })();
    const seen = new Set<number>();
    while (!isOver) {
      await setImmediate();
      const times = (await hours(reader)).map(({ flows }) => flows[0]?.times ?? 0);
      expect(new Set(times).size).toBeLessThan(2);
      seen.add(times[0] ?? 0);
    }
    await writing;
    expect(seen.size).toBeGreaterThan(3);
    expect((await hours(reader)).map(({ flows }) => flows[0]?.times)).toEqual([30, 30]);
  });
});
