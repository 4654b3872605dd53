import { describe, expect, it } from "vitest";
import { timeText } from "../../../src/core/device-time.js";
import { PlumblineError } from "../../../src/core/errors.js";
import type { LogWatch, Probe } from "../../../src/desired/checks.js";
import type { ApplySession } from "../../../src/engine/apply/apply-session.js";
import { observe } from "../../../src/engine/watch/observe.js";
import type { OpenWatch } from "../../../src/engine/watch/open-watch.js";
import type { LogCount } from "../../../src/reachability/policy-target.js";

const SINCE = "2026/01/05 08:00:00";
const START = Date.UTC(2026, 0, 5, 8, 0, 0);
const TRAFFIC: LogWatch = { type: "traffic", query: "( action eq deny )", threshold: 2, minutes: 2 };
const PROBE: Probe = { kind: "tcp", host: "h", port: 443, timeout: 1, attempts: 1 };

interface Scene {
  readonly watches?: readonly LogWatch[];
  readonly probes?: readonly Probe[];
  /** Records of a log at a time in seconds since the commit. */
  readonly records?: (count: LogCount, second: number) => number;
  /** Seconds since the commit by the target's clock, from our own. */
  readonly targetClock?: (second: number) => number;
  readonly tcp?: (second: number) => boolean | Promise<never>;
  readonly stop?: AbortSignal;
  /** Records of each watch in as long a time before the commit. */
  readonly baseline?: readonly number[];
  readonly failedBefore?: readonly number[];
}

/** Watches, with a clock that goes on as the run waits. */
async function watch(scene: Scene) {
  let second = 0;
  const asked: LogCount[] = [];
  const logs = {
    deviceTime: async () => timeText(START + (scene.targetClock?.(second) ?? second) * 1000),
    records: async (count: LogCount) => {
      asked.push(count);
      return Array.from(
        { length: scene.records?.(count, second) ?? 0 },
        (_, i) =>
          new Map([
            ["receive_time", SINCE],
            ["rule", `r${i}`],
          ]),
      );
    },
  };
  const network = {
    tcp: async () => {
      if ((await scene.tcp?.(second)) === false) throw new Error("refused");
    },
    http: async () => 200,
    dns: async () => [],
  };
  const sleep = async (milliseconds: number) => {
    second += milliseconds / 1000;
  };
  const session = {
    target: { logs },
    context: { name: "edge", options: { listeners: {}, machine: { now: () => START + second * 1000 }, stop: scene.stop } },
    write: { network, sleep },
  } as unknown as ApplySession;
  const { watches = [], probes = [], baseline = [], failedBefore } = scene;
  const open = { checks: { watches, probes }, baseline, failedBefore } as unknown as OpenWatch;
  const seen = await observe(session, open, SINCE);
  return { ...seen, waited: second, asked };
}

describe("a watch", () => {
  it("reads its own window, by the target's clock, and no more records than needed", async () => {
    const { tripped, waited, asked } = await watch({ watches: [TRAFFIC, { ...TRAFFIC, type: "threat", minutes: 1, threshold: 500 }] });
    expect(tripped).toBeUndefined();
    expect(waited).toBe(120);
    expect(asked[0]).toEqual({ type: "traffic", query: "( action eq deny )", since: SINCE, until: "2026/01/05 08:02:00", most: 20 });
    expect(asked[1]).toMatchObject({ type: "threat", until: "2026/01/05 08:01:00", most: 500 });
  });

  it("trips at its threshold and not before", async () => {
    const below = await watch({ watches: [TRAFFIC], records: () => 1 });
    expect(below).toMatchObject({ tripped: undefined, counts: [{ found: 1 }] });
    const { tripped, waited, counts } = await watch({ watches: [TRAFFIC], records: (_, second) => (second >= 30 ? 2 : 0) });
    expect(tripped).toBe(`2 records of the traffic log for ( action eq deny ) since ${SINCE}, where fewer than 2 may be`);
    expect(waited).toBe(30);
    expect(counts[0]?.samples).toEqual([`${SINCE}  rule r0`, `${SINCE}  rule r1`]);
  });

  it("with as many records before the commit rolls back only for more than twice as many", async () => {
    const noisy = { watches: [TRAFFIC], baseline: [30] };
    expect((await watch({ ...noisy, records: () => 61 })).tripped).toBeUndefined();
    expect((await watch({ ...noisy, records: () => 62 })).tripped).toContain("62 records of the traffic log");
    expect((await watch({ watches: [TRAFFIC], baseline: [2000], records: () => 5000 })).tripped).toBeUndefined();
  });

  it("tolerates an unreadable log for a while, not at the end", async () => {
    const failing = (from: number, to: number) => (_: LogCount, second: number) => {
      if (second >= from && second <= to) throw new PlumblineError("log-query-unanswered", "no answer");
      return 0;
    };
    expect((await watch({ watches: [TRAFFIC], records: failing(10, 60) })).tripped).toBeUndefined();
    expect((await watch({ watches: [TRAFFIC], records: failing(10, 600) })).tripped).toBe("the traffic log could not be read: no answer");
  });

  it("does not wait indefinitely for a stopped clock", async () => {
    const { tripped, waited } = await watch({ watches: [TRAFFIC], targetClock: () => 0 });
    expect(tripped).toBeUndefined();
    expect(waited).toBeGreaterThan(240);
    expect(waited).toBeLessThan(260);
  });

  it("of a slow machine ends with the target's window", async () => {
    expect((await watch({ watches: [TRAFFIC], targetClock: (second) => 2 * second })).waited).toBe(60);
  });
});

describe("probes", () => {
  it("without a watch are tried once, without a window", async () => {
    expect(await watch({ probes: [PROBE] })).toMatchObject({ tripped: undefined, waited: 0 });
    expect((await watch({ probes: [PROBE], tcp: () => false })).tripped).toBe("the probe of h port 443 failed (refused)");
  });

  it("with a watch are tried again when its window ends", async () => {
    const { tripped, waited } = await watch({ watches: [TRAFFIC], probes: [PROBE], tcp: (second) => second < 100 });
    expect([tripped, waited]).toEqual(["the probe of h port 443 failed (refused)", 120]);
  });

  it("that failed before the commit judge it from their first success on", async () => {
    const down = { watches: [TRAFFIC], probes: [PROBE, PROBE], failedBefore: [0, 1] };
    expect((await watch({ ...down, tcp: () => false })).tripped).toBeUndefined();
    expect((await watch({ ...down, tcp: (second) => second < 100 })).tripped).toBe("the probe of h port 443 failed (refused)");
    expect((await watch({ ...down, failedBefore: [0], tcp: () => false })).tripped).toBe("the probe of h port 443 failed (refused)");
  });

  it("are not waited for once the run is stopped", async () => {
    const stop = new AbortController();
    const hangs = () => {
      queueMicrotask(() => stop.abort());
      return new Promise<never>(() => undefined);
    };
    const { tripped } = await watch({ watches: [TRAFFIC], probes: [PROBE], tcp: hangs, stop: stop.signal });
    expect(tripped).toBe("the run was stopped before the checks had confirmed it");
  });
});
