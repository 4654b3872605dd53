import { PlumblineError } from "../../core/errors.js";
import type { LogRecord } from "../../engine/log-reader.js";
import { passes } from "../../targets/panos/client/retry.js";
import { identityOf } from "../../targets/panos/log-record.js";

/** Milliseconds between two looks; each costs the device a job. */
const PAUSE = 5_000;

export interface Following {
  /** Records from a moment of the device's clock on, oldest first. */
  readonly search: (since: string) => AsyncIterable<readonly LogRecord[]>;
  readonly print: (records: readonly LogRecord[]) => void;
  /** A look failed in a way that may pass. */
  readonly warn: (error: PlumblineError) => void;
  /** Resolves early once stopped. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly stop: AbortSignal;
}

/**
 * Prints what comes after `shown` until stopped. Logs have seconds: each look begins with the last second seen, and
 * passes over what was printed of it. `from` is where to begin when nothing was shown.
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

/** The newest second seen, and which of its records. */
class Edge {
  time: string;
  #seen = new Set<string>();

  constructor(time: string) {
    this.time = time;
  }

  /** Without records of the same second that are older than all that was shown: the count had cut them off. */
  skipOlder(records: readonly LogRecord[]): readonly LogRecord[] {
    const first = records.findIndex((record) => this.#seen.has(identityOf(record)));
    this.pass(records.slice(0, Math.max(0, first)));
    return records.slice(Math.max(0, first));
  }

  /** The records that were not seen before; they are from now on. */
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
