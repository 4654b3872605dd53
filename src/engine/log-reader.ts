import type { ReadTarget } from "./target.js";

/** One record of a log, by field. */
export type LogRecord = ReadonlyMap<string, string>;

/** What to look for in a log. */
export interface LogSearch {
  readonly type: string;
  /** A filter in the target's own language. */
  readonly query: string | undefined;
  /** Records of this moment on, by the target's own clock (`yyyy/mm/dd hh:mm:ss`); from the first where undefined. */
  readonly since: string | undefined;
  /** Records at most; may be infinite. */
  readonly count: number;
  /** `backward`: newest first. */
  readonly direction: "backward" | "forward";
}

/** Who waits for a search. */
export interface LogSearchWaiter {
  /** Aborted: what was begun on the target is ended there, and the search rejects with `interrupted`. */
  readonly stop?: AbortSignal | undefined;
  /** Told of each look at a job that has not ended. */
  readonly progress?:
    | ((event: { readonly job: string; readonly status: string; readonly percent: number | undefined }) => void)
    | undefined;
}

/** A target whose logs can be searched. */
export interface LogReader extends Pick<ReadTarget, "name" | "status" | "close"> {
  /** Pages of records, as they come. */
  searchLogs(search: LogSearch, watch?: LogSearchWaiter): AsyncIterable<readonly LogRecord[]>;
}
