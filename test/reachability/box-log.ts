import { millisecondsOf, timeText } from "../../src/core/device-time.js";
import type { SessionLog } from "../../src/reachability/policy-role.js";
import type { LogRecord, Logs } from "../../src/reachability/policy-target.js";
import { trafficLog } from "../../src/targets/panos/policy/logged-session.js";

const PAGE = 5_000;

/** The log of sessions of one box, in memory: numbers go up, times as its clock has them. */
export class BoxLog implements Logs {
  readonly sessionLog: SessionLog = trafficLog;
  records_: LogRecord[] = [];
  commits: string[] = [];
  /** Milliseconds as if its clock were UTC. */
  clock = millisecondsOf("2026/11/20 10:00:00");
  number = 0;
  /** Runs after the given number of pages. */
  afterPage: (() => void | Promise<void>) | undefined;
  pagesGiven = 0;

  session(more: Readonly<Record<string, string>> = {}): void {
    const time = timeText(this.clock);
    const fields = {
      ...{
        seqno: `${++this.number}`,
        receive_time: time,
        start: time,
        type: "TRAFFIC",
        subtype: "end",
        vsys: "vsys1",
        from: "web",
        to: "db",
      },
      ...{ src: "10.0.0.1", dst: "10.0.0.2", proto: "tcp", dport: "443", sport: `${1024 + (this.number % 60_000)}`, app: "ssl", rule: "r" },
      ...{ rule_uuid: "u", bytes: "100", repeatcnt: "1", ...more },
    };
    this.records_.push(new Map(Object.entries(fields)));
  }

  commit(): void {
    this.commits.push(timeText(this.clock));
  }

  async deviceTime(): Promise<string> {
    return timeText(this.clock);
  }

  async records({ since, until, most }: { since: string; until: string; most: number }): Promise<readonly LogRecord[]> {
    const inTime = this.records_.filter((each) => (each.get("receive_time") ?? "") >= since && (each.get("receive_time") ?? "") <= until);
    return inTime.reverse().slice(0, most);
  }

  async *pages({ type, since = "", count, direction }: Parameters<Logs["pages"]>[0]): AsyncGenerator<readonly LogRecord[]> {
    if (type === "config") {
      yield this.commits.slice(-1).map((time) => new Map([["receive_time", time]]));
      return;
    }
    // Like a device: each page is a separate search of the log's current content.
    for (let skip = 0; skip < count; skip += PAGE) {
      const found = this.records_.filter((each) => (each.get("receive_time") ?? "") >= since);
      if (direction === "backward") found.reverse();
      const page = found.slice(skip, Math.min(skip + PAGE, count));
      this.pagesGiven++;
      yield page;
      await this.afterPage?.();
      if (page.length < PAGE) return;
    }
  }
}
