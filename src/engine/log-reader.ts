import type { ReadTarget } from "./target.js";

/** One record of a log, by field. */
export type LogRecord = ReadonlyMap<string, string>;

/** Parameters of a log search. */
export interface LogSearch {
  readonly type: string;
  /** A filter in the target's own language. */
  readonly query: string | undefined;
  /** Returns records from this time on, by the target's clock (`yyyy/mm/dd hh:mm:ss`). Undefined: from the first record. */
  readonly since: string | undefined;
  /** Records at most; may be infinite. */
  readonly count: number;
  /** `backward`: newest first. */
  readonly direction: "backward" | "forward";
}

/** Who waits for a search. */
export interface LogSearchWaiter {
  /** If aborted, the job on the target is ended and the search rejects with `interrupted`. */
  readonly stop?: AbortSignal | undefined;
  /** Called after each poll of a running job. */
  readonly progress?:
    | ((event: { readonly job: string; readonly status: string; readonly percent: number | undefined }) => void)
    | undefined;
}

/** A target whose logs can be searched. */
export interface LogReader extends Pick<ReadTarget, "name" | "status" | "close"> {
  /** Pages of records, as they come. */
  searchLogs(search: LogSearch, watch?: LogSearchWaiter): AsyncIterable<readonly LogRecord[]>;
}
