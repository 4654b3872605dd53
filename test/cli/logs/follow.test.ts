import { describe, expect, it } from "vitest";
import { type Following, follow } from "../../../src/cli/logs/follow.js";
import { PlumblineError } from "../../../src/core/errors.js";
import type { LogRecord } from "../../../src/reachability/policy-target.js";
import { failure } from "../../targets/panos/fixtures.js";

const record = (seqno: number, time: string): LogRecord =>
  new Map([
    ["receive_time", time],
    ["seqno", String(seqno)],
  ]);

/** Follows a log of `hidden` and then `shown` records that `grow` adds to before each look, for as many looks. */
async function run(shown: LogRecord[], from: string, grow: ((log: LogRecord[]) => void)[], hidden: LogRecord[] = []) {
  const log = [...hidden, ...shown];
  const printed: string[] = [];
  const asked: string[] = [];
  const warned: string[] = [];
  const controller = new AbortController();
  let looks = 0;
  const following: Following = {
    search: async function* (since) {
      asked.push(since);
      grow[looks - 1]?.(log);
      yield log.filter((each) => (each.get("receive_time") ?? "") >= since);
    },
    print: (records) => void printed.push(...records.map((each) => each.get("seqno") ?? "")),
    warn: ({ code }) => void warned.push(code),
    sleep: async () => {
      if (++looks > grow.length) controller.abort();
    },
    stop: controller.signal,
  };
  await follow(shown, from, following);
  return { printed, asked, warned };
}

describe("following a log", () => {
  it("prints each record once, including those of the last seen second", async () => {
    const { printed, asked } = await run([record(1, "08:00:00"), record(2, "08:00:01")], "09:00:00", [
      (log) => log.push(record(3, "08:00:01")),
      () => undefined,
      (log) => log.push(record(4, "08:00:02"), record(5, "08:00:03")),
      (log) => log.push(record(6, "08:00:03")),
    ]);
    expect(printed).toEqual(["3", "4", "5", "6"]);
    expect(asked).toEqual(["08:00:01", "08:00:01", "08:00:01", "08:00:03"]);
  });

  it("omits records that the limit had cut off, although they have the same second", async () => {
    const grow = [(log: LogRecord[]) => log.push(record(4, "08:00:00")), () => undefined];
    const shown = [record(2, "08:00:00"), record(3, "08:00:00")];
    expect((await run(shown, "09:00:00", grow, [record(1, "08:00:00")])).printed).toEqual(["4"]);
  });

  it("starts at the given time if the log was empty", async () => {
    expect((await run([], "08:00:00", [(log) => log.push(record(1, "07:59:59"), record(2, "08:00:00"))])).printed).toEqual(["2"]);
  });

  it("continues after temporary errors, and ends at others", async () => {
    const { printed, warned } = await run([], "08:00:00", [
      () => {
        throw new PlumblineError("device-unreachable", "it restarts");
      },
      (log) => log.push(record(1, "08:00:00")),
    ]);
    expect([printed, warned]).toEqual([["1"], ["device-unreachable"]]);
    const refused = run([], "08:00:00", [
      () => {
        throw new PlumblineError("role-not-authorized", "no");
      },
    ]);
    expect((await failure(refused)).code).toBe("role-not-authorized");
  });
});
