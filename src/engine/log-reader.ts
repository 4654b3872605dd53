import type { LogRecord, LogSearch, LogSearchWaiter } from "../reachability/policy-target.js";
import type { ReadTarget } from "./target.js";

/** A target whose logs can be searched. */
export interface LogReader extends Pick<ReadTarget, "name" | "status" | "close"> {
  /** Pages of records, as they come. */
  searchLogs(search: LogSearch, watch?: LogSearchWaiter): AsyncIterable<readonly LogRecord[]>;
}
