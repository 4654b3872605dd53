import type { LogRecord } from "../../engine/log-reader.js";
import type { LogClient, LogQuery, LogWatch } from "./log-query.js";
import { identityOf, readRecord } from "./log-record.js";

/**
 * Records that a device gives for one job (docs/devices/panos.md#logs).
 *
 * @internal Exported for tests, which ask for more.
 */
export const MAX_RECORDS = 5_000;

/** What to look for; `count` may be above what one job gives, and infinite. */
export interface LogSearch extends Pick<LogQuery, "type" | "query" | "direction"> {
  readonly count: number;
}

/**
 * Records page by page, one job each, by `nlogs` and `skip`. Records that arrive meanwhile push others from one page to
 * the next; those are given once.
 */
export async function* logPages(logs: LogClient, search: LogSearch, watch: LogWatch = {}): AsyncGenerator<readonly LogRecord[]> {
  let left = search.count;
  let before = new Set<string>();
  let pushed = 0;
  for (let skip = 0; left > 0; ) {
    const count = Math.min(left + 2 * pushed, MAX_RECORDS);
    const { records } = await logs.query({ ...search, count, skip }, watch);
    const page = records.map(readRecord);
    const fresh = page.filter((record) => !before.has(identityOf(record))).slice(0, left);
    yield fresh;
    // A log that fills as fast as it is read has no end to get to.
    if (records.length < count || (fresh.length === 0 && count === MAX_RECORDS)) return;
    before = new Set(page.map(identityOf));
    pushed = records.length - fresh.length;
    skip += records.length;
    left -= fresh.length;
  }
}
