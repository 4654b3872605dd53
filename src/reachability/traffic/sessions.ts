import { millisecondsOf, timeText } from "../../core/device-time.js";
import type { Traffic, TrafficSource } from "../../outcome/traffic.js";
import type { LoggedSession, SessionLog } from "../policy-role.js";
import type { LogSearch, Logs } from "../policy-target.js";
import { hourOf, type KeptTraffic } from "./kept-traffic.js";
import { lastCommitOf } from "./read-sessions.js";

/** Sessions to replay, the newest first. */
export interface Sessions {
  readonly since: string;
  readonly pages: AsyncIterable<Page>;
  /** Time of the target's last commit. Undefined if unknown. */
  lastCommit(): Promise<string | undefined>;
  /** Start of the available sessions if later than `since`. Valid after all pages are read. */
  backTo(): Traffic["backTo"];
  source(): TrafficSource;
}

interface Page {
  readonly sessions: readonly LoggedSession[];
  /** Records that are not understood. */
  readonly unread: number;
  readonly records: number;
}

interface Search {
  readonly since: string;
  readonly most: number;
  readonly stop?: AbortSignal | undefined;
}

/** Sessions from the target's own log. `because`: reason for not using stored ones. */
export function logged(logs: Logs, sessionLog: SessionLog, { since, most, stop }: Search, because: string | undefined): Sessions {
  let oldest: string | undefined;
  let records = 0;
  async function* pages(): AsyncGenerator<Page> {
    const search: LogSearch = { type: sessionLog.type, query: undefined, since, count: most, direction: "backward" };
    for await (const page of logs.pages(search, { stop })) {
      const read = page.map((record) => sessionLog.read(record)).filter((each) => each !== "begun");
      const sessions = read.filter((each) => each !== undefined);
      oldest = page.at(-1)?.get("receive_time") ?? oldest;
      records += page.length;
      yield { sessions, unread: read.length - sessions.length, records: page.length };
    }
  }
  return {
    since,
    pages: pages(),
    lastCommit: () => lastCommitOf(logs, sessionLog),
    backTo: () => (records >= most ? oldest : undefined),
    source: () => ({ from: "device", because }),
  };
}

/** Sessions that agents stored by hour. `now`: by the target's clock. The last commit is read from the target if possible. */
export function keptSessions(
  { keep, failure, boxes, gaps, hours }: KeptTraffic,
  now: string | undefined,
  { since: wanted, stop }: Search,
  logs: Logs,
  sessionLog: SessionLog,
): Sessions {
  const since = hourOf(wanted);
  const oldest = now === undefined ? "" : hourOf(timeText(millisecondsOf(now) - keep));
  const [from = since] = [since, oldest, ...boxes.map((box) => box.since)].sort().reverse();
  const cut = { from: "", to: "", flows: 0, sessions: 0 };
  async function* pages(): AsyncGenerator<Page> {
    for await (const { hour, flows: sessions, unread, cut: left } of hours(hourOf(from))) {
      stop?.throwIfAborted();
      yield { sessions, unread, records: sessions.length };
      if (left.flows === 0) continue;
      cut.from = hour;
      cut.to ||= timeText(millisecondsOf(hour) + 3_599_000);
      cut.flows += left.flows;
      cut.sessions += left.sessions;
    }
  }
  return {
    since,
    pages: pages(),
    lastCommit: () => lastCommitOf(logs, sessionLog).catch(() => boxes[0]?.lastCommit),
    backTo: () => (from > since ? from : undefined),
    source: () => ({
      from: "store",
      boxes: boxes.map(({ box, until }) => ({ box, until })),
      gaps: gaps.filter(({ to }) => to >= since),
      cut: cut.flows === 0 ? undefined : cut,
      failure,
    }),
  };
}
