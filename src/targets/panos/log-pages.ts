import type { LogRecord } from "../../reachability/policy-target.js";
import type { LogClient, LogQuery, LogWatch } from "./log-query.js";
import { identityOf, readRecord } from "./log-record.js";

/**
 * Maximum number of records per job (docs/contributing/devices/panos.md#logs).
 *
 * @internal Exported for tests that request more.
 */
export const MAX_RECORDS = 5_000;

/** A log search. `count` may exceed the limit of one job, and may be infinite. */
export interface LogSearch extends Pick<LogQuery, "type" | "query" | "direction"> {
  readonly count: number;
}

/**
 * Reads records page by page, with `nlogs` and `skip` and one job per page. New records shift others to the next page; each record is
 * returned once.
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
    // If the log grows as fast as it is read, the search would never end.
    if (records.length < count || (fresh.length === 0 && count === MAX_RECORDS)) return;
    before = new Set(page.map(identityOf));
    pushed = records.length - fresh.length;
    skip += records.length;
    left -= fresh.length;
  }
}
