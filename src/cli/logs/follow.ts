import { PlumblineError } from "../../core/errors.js";
import type { LogRecord } from "../../reachability/policy-target.js";
import { passes } from "../../targets/panos/client/retry.js";
import { identityOf } from "../../targets/panos/log-record.js";

/** Milliseconds between two polls. Each poll is a job on the device. */
const PAUSE = 5_000;

export interface Following {
  /** Returns records from a time of the device clock on, oldest first. */
  readonly search: (since: string) => AsyncIterable<readonly LogRecord[]>;
  readonly print: (records: readonly LogRecord[]) => void;
  /** Reports a poll that failed with a temporary error. */
  readonly warn: (error: PlumblineError) => void;
  /** Resolves early if stopped. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly stop: AbortSignal;
}

/**
 * Prints new records until stopped. Log times are in seconds, so each poll starts with the last second and skips records that were already
 * printed.
 * @param from Start time if no record was printed before.
 */
export async function follow(shown: readonly LogRecord[], from: string, following: Following): Promise<void> {
  const { search, print, warn, sleep, stop } = following;
  const edge = new Edge(shown.length === 0 ? from : "");
  edge.pass(shown);
  let isFirst = true;
  while (!stop.aborted) {
    await sleep(PAUSE);
    if (stop.aborted) return;
    try {
      for await (const page of search(edge.time)) {
        print(edge.pass(isFirst ? edge.skipOlder(page) : page));
        isFirst = false;
      }
    } catch (error) {
      if (stop.aborted) return;
      if (!(error instanceof PlumblineError) || !passes(error)) throw error;
      warn(error);
    }
  }
}

/** The latest second, and the records of that second. */
class Edge {
  time: string;
  #seen = new Set<string>();

  constructor(time: string) {
    this.time = time;
  }

  /** Removes records of the same second that are older than all printed ones: the count limit had cut them off. */
  skipOlder(records: readonly LogRecord[]): readonly LogRecord[] {
    const first = records.findIndex((record) => this.#seen.has(identityOf(record)));
    this.pass(records.slice(0, Math.max(0, first)));
    return records.slice(Math.max(0, first));
  }

  /** Returns records that were not seen before, and marks them as seen. */
  pass(records: readonly LogRecord[]): readonly LogRecord[] {
    const fresh = records.filter((record) => !this.#seen.has(identityOf(record)));
    for (const record of fresh) {
      const time = record.get("receive_time") ?? "";
      if (time > this.time) {
        this.time = time;
        this.#seen = new Set();
      }
      if (time === this.time) this.#seen.add(identityOf(record));
    }
    return fresh;
  }
}
