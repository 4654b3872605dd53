import { millisecondsOf, timeText } from "../../core/device-time.js";
import { PlumblineError } from "../../core/errors.js";
import type { TrafficGap } from "../../outcome/traffic.js";
import type { SessionLog } from "../policy-role.js";
import type { LogRecord, Logs } from "../policy-target.js";
import { FlowSums } from "./flow-sums.js";
import { hourOf, type KeptHour, type LogMark } from "./kept-traffic.js";

/** Records of one reading; the first one reads the newest. */
const BOUNDS = { first: 200_000, next: 100_000 };
/** Records per job of a device. Between two jobs, the log may be overwritten. */
const PAGE = 5_000;
/** Milliseconds: allowed difference of two clocks, and the range in which records may not be in the order of their times. */
const APART = 60_000;
const OVERLAP = 5_000;
const GAPS = 50;
const TRIES = 3;

/** The log to read, and the state of the last read. */
export interface ReadingOfLog {
  readonly logs: Logs;
  readonly sessionLog: SessionLog;
  readonly target: string;
  readonly before: LogMark | undefined;
  /** Milliseconds that sessions are kept. */
  readonly keep: number;
  readonly now: number;
  readonly stop: AbortSignal;
  readonly bounds?: typeof BOUNDS | undefined;
}

/** Result of a read. */
export interface ReadSessions {
  readonly mark: LogMark;
  readonly hours: ReadonlyMap<string, KeptHour>;
  /** The log has more. */
  readonly more: boolean;
}

/** Time of the last commit on a target, from its log of changes. */
export async function lastCommitOf(logs: Logs, { commits }: SessionLog): Promise<string | undefined> {
  for await (const [record] of logs.pages({ ...commits, since: undefined, count: 1, direction: "backward" }))
    return record?.get("receive_time");
  return undefined;
}

/**
 * Reads the sessions that were logged since the last read, or the newest ones at the first read. Record numbers prevent reading a session
 * twice. If the last read record is missing, the log was cleared or overwritten, and a gap is recorded.
 */
export async function readSessions(reading: ReadingOfLog): Promise<ReadSessions> {
  const { logs, sessionLog } = reading;
  for (let tries = 1; ; tries++) {
    const lastCommit = await lastCommitOf(logs, sessionLog);
    const read = await readOnce(reading, lastCommit);
    // Whether a session began after the last commit must be known of each.
    if ((await lastCommitOf(logs, sessionLog)) === lastCommit) return read;
    if (tries === TRIES) throw refused(reading.target, "commits repeatedly interrupt the read of its log");
  }
}

async function readOnce(reading: ReadingOfLog, lastCommit: string | undefined): Promise<ReadSessions> {
  const { logs, before, keep, now, target, bounds: { next } = BOUNDS } = reading;
  const clock = await logs.deviceTime();
  if (clock === undefined) throw refused(target, "its own clock cannot be read");
  if (before === undefined) return await readFirst(reading, lastCommit, clock, hourOf(timeText(millisecondsOf(clock) - keep)));
  const apart = millisecondsOf(before.clock) + (now - before.at) - millisecondsOf(clock);
  const setBack = apart > APART ? millisecondsOf(before.clock) - apart - APART : Infinity;
  const since = timeText(Math.min(millisecondsOf(before.until) - OVERLAP, setBack));
  let isComplete = await isThere(reading, before);
  const sums = new Sums(reading, lastCommit, true, (record, number) => {
    return number > BigInt(before.number) || (!isComplete && timeOf(record) > before.until);
  });
  await sums.read(since, next);
  if (isComplete && sums.records > PAGE) isComplete = await isThere(reading, before);
  const more = sums.records >= next;
  if (more && sums.last === undefined) throw refused(target, "it logs faster than its log can be read");
  const { until = before.until, number = before.number } = sums.last ?? {};
  const read = more ? until : clock;
  const gaps: TrafficGap[] = [...before.gaps];
  if (!isComplete) gaps.push({ from: before.until, to: sums.first ?? clock, why: "log" });
  if (Math.abs(apart) > APART) gaps.push({ from: before.clock, to: clock, why: "clock" });
  const { since: kept } = before;
  const mark = {
    since: kept,
    until,
    number,
    read,
    clock,
    at: now,
    lastCommit,
    gaps: fewGaps(gaps, timeText(millisecondsOf(clock) - keep)),
  };
  return { mark, hours: sums.hours(), more };
}

async function readFirst(reading: ReadingOfLog, lastCommit: string | undefined, clock: string, from: string): Promise<ReadSessions> {
  const { first } = reading.bounds ?? BOUNDS;
  const sums = new Sums(reading, lastCommit, false, () => true);
  await sums.read(from, first);
  const { until = from, number = "-1" } = sums.last ?? {};
  const since = sums.records >= first ? (sums.first ?? from) : from;
  return { mark: { since, until, number, read: clock, clock, at: reading.now, lastCommit, gaps: [] }, hours: sums.hours(), more: false };
}

async function isThere({ logs, sessionLog }: ReadingOfLog, { until, number }: LogMark): Promise<boolean> {
  if (number === "-1") return true;
  const records = await logs.records({ type: sessionLog.type, query: undefined, since: until, until, most: PAGE });
  return records.some((record) => String(sessionLog.number(record)) === number);
}

/** Merges the oldest gaps, and drops gaps before the retention time. */
function fewGaps(all: readonly TrafficGap[], keptFrom: string): readonly TrafficGap[] {
  const gaps = all.filter(({ to }) => to >= keptFrom);
  const [first, ...others] = gaps;
  if (first === undefined || gaps.length <= GAPS) return gaps;
  const old = others.slice(0, -GAPS + 1);
  return [{ ...first, to: old.at(-1)?.to ?? first.to }, ...others.slice(-GAPS + 1)];
}

const timeOf = (record: LogRecord): string => record.get("receive_time") ?? "";

function refused(target: string, why: string): PlumblineError {
  return new PlumblineError("traffic-not-kept", `The traffic of ${target} cannot be kept: ${why}.`, {
    where: { target },
    next: "It is retried. Stored sessions stay.",
  });
}

/** Sums of the read sessions by hour. */
class Sums {
  records = 0;
  first: string | undefined;
  last: { readonly until: string; readonly number: string } | undefined;
  readonly #hours = new Map<string, FlowSums>();
  readonly #reading: ReadingOfLog;
  readonly #lastCommit: string | undefined;
  readonly #isForward: boolean;
  readonly #isNew: (record: LogRecord, number: bigint) => boolean;

  constructor(
    reading: ReadingOfLog,
    lastCommit: string | undefined,
    isForward: boolean,
    isNew: (record: LogRecord, number: bigint) => boolean,
  ) {
    this.#reading = reading;
    this.#lastCommit = lastCommit;
    this.#isForward = isForward;
    this.#isNew = isNew;
  }

  async read(since: string, count: number): Promise<void> {
    const { logs, sessionLog, stop } = this.#reading;
    const direction = this.#isForward ? "forward" : "backward";
    let highest = -1n;
    for await (const page of logs.pages({ type: sessionLog.type, query: undefined, since, count, direction }, { stop })) {
      this.records += page.length;
      for (const record of page) {
        const number = sessionLog.number(record);
        if (number === undefined) throw refused(this.#reading.target, "records of its log have no number");
        if (!this.#isNew(record, number)) continue;
        this.#add(record);
        if (number <= highest) continue;
        highest = number;
        this.last = { until: timeOf(record), number: String(number) };
      }
    }
  }

  hours(): ReadonlyMap<string, KeptHour> {
    return new Map([...this.#hours].map(([hour, sums]) => [hour, sums.result(this.#isForward)]));
  }

  #add(record: LogRecord): void {
    const time = timeOf(record);
    if (this.first === undefined || time < this.first) this.first = time;
    const logged = this.#reading.sessionLog.read(record);
    if (logged === "begun") return;
    const hour = hourOf(time);
    const sums = this.#hours.get(hour) ?? new FlowSums(this.#lastCommit);
    this.#hours.set(hour, sums);
    if (logged === undefined) sums.unread++;
    else sums.add(logged, this.#isForward);
  }
}
