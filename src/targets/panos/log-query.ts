import type { Clock } from "../../core/clock.js";
import { PlumblineError } from "../../core/errors.js";
import { throwIfStopped } from "../../core/interrupted.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { PanosClient } from "./client/client.js";
import { LOG_JOB_PARAMETERS, logJob, startLogQuery } from "./client/commands.js";
import { type DeviceReply, descend, deviceMessage, textOf } from "./client/reply.js";

export interface LogQuery {
  /** `threat`, `config`, `traffic`, `system` … */
  readonly type: string;
  /** A filter in the device's language, for example `( severity geq high )`. */
  readonly query?: string | undefined;
  /** Maximum number of records. The device's default is 20, its limit 5,000. */
  readonly count?: number | undefined;
  readonly skip?: number | undefined;
  readonly direction?: "backward" | "forward" | undefined;
}

export interface LogResult {
  /** The unmodified `entry` elements of the log. */
  readonly records: readonly TreeNode[];
  /** Fields of the job: `tenq`, `tdeq`, `tlast`, `status`, `id`, `cached-logs`. */
  readonly job: ReadonlyMap<string, string>;
  /** `devices` in the reply's `meta`, if present. */
  readonly meta: TreeNode | undefined;
}

/** Callbacks and abort signal of a query. */
export interface LogWatch {
  /** When aborted, the job is finished on the device and the query rejects with `interrupted`. */
  readonly stop?: AbortSignal | undefined;
  /** Called after each poll of a running job. */
  readonly progress?:
    | ((event: { readonly job: string; readonly status: string; readonly percent: number | undefined }) => void)
    | undefined;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5_000;
const DEFAULT_TIMEOUT = 120_000;
const MAX_ATTEMPTS = 3;

/** Queries logs of one device: creates a job, polls until it ends, and finishes it on the device if it takes too long. */
export class LogClient {
  readonly #client: PanosClient;
  readonly #clock: Clock;
  readonly #timeout: number;
  #parameter: (typeof LOG_JOB_PARAMETERS)[number] | undefined;

  constructor(client: PanosClient, clock: Clock, timeout = DEFAULT_TIMEOUT) {
    this.#client = client;
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /**
   * Retries if the job is gone: a device deletes a job with its first answer, and that answer may have been lost.
   * @throws PlumblineError `log-query-refused`, `log-query-unanswered` when the job has not ended in time, `interrupted`, and the device's
   * own refusals.
   */
  async query(query: LogQuery, watch: LogWatch = {}): Promise<LogResult> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.#attempt(query, watch);
      if (!(result instanceof PlumblineError)) return result;
      if (attempt === MAX_ATTEMPTS) throw result;
    }
  }

  /** Resolves to the device's refusal if it does not know the job that it has just created. */
  async #attempt(query: LogQuery, { stop, progress }: LogWatch): Promise<LogResult | PlumblineError> {
    const job = await this.#create(query);
    const deadline = this.#clock.now() + this.#timeout;
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      const reply = await this.#jobReply("get", job);
      if (isMissingJob(reply)) return this.#client.refusal(reply);
      if (reply.outcome !== "done") throw this.#client.refusal(reply);
      const result = finished(reply);
      if (result !== undefined) return result;
      progress?.({ job, status: textOf(descend(reply.result, "job", "status")), percent: percentOf(reply) });
      if (this.#clock.now() + wait > deadline || stop?.aborted === true) break;
      await this.#clock.sleep(wait, stop);
    }
    await this.#jobReply("finish", job);
    if (stop !== undefined) throwIfStopped(stop);
    throw new PlumblineError("log-query-unanswered", `the log query (job ${job}) did not end in ${this.#timeout / 1000} s`, {
      where: { target: this.#client.place.target },
      next: "Request fewer records or a shorter time, or check the load of the device.",
    });
  }

  async #create(query: LogQuery): Promise<string> {
    const reply = await this.#client.attempt(startLogQuery(query));
    if (reply.outcome === "unsupported") throw this.#refused(query, deviceMessage(reply));
    if (reply.outcome !== "done") throw this.#client.refusal(reply);
    const job = textOf(descend(reply.result, "job") ?? descend(reply.root, "job"));
    if (job !== "") return job;
    throw new PlumblineError("log-job-missing", "the device accepted a log query but named no job", {
      where: { target: this.#client.place.target },
      next: "Check the type of the log and the permissions of the role.",
    });
  }

  #refused({ type, query }: LogQuery, words: string): PlumblineError {
    const what = query === undefined ? `a query of the ${type} log` : `the filter ${query} of the ${type} log`;
    return new PlumblineError("log-query-refused", `the device does not take ${what}: ${words}`, {
      where: { target: this.#client.place.target },
      next:
        query === undefined
          ? "Check that this software version keeps such a log; `plumbline logs --help` lists the types."
          : "Correct the filter; the device's own log page builds and tests one, for example ( severity geq high ) and ( addr.src in 192.0.2.1 ).",
    });
  }

  /** Uses the parameter name that this device accepted before. The first time, it tries the second name if the first one is refused. */
  async #jobReply(action: "get" | "finish", job: string): Promise<DeviceReply> {
    const [first, second] = LOG_JOB_PARAMETERS;
    if (this.#parameter !== undefined) return await this.#client.attempt(logJob(action, job, this.#parameter));
    const reply = await this.#client.attempt(logJob(action, job, first));
    if (reply.outcome === "done") {
      this.#parameter = first;
      return reply;
    }
    const other = await this.#client.attempt(logJob(action, job, second));
    if (other.outcome === "done") this.#parameter = second;
    return other;
  }
}

function isMissingJob(reply: DeviceReply): boolean {
  return reply.outcome !== "done" && /\bjob\b.*\b(not found|does not exist)/i.test(reply.lines.join(" "));
}

function percentOf(reply: DeviceReply): number | undefined {
  const text = descend(reply.result, "log", "logs")?.attributes?.get("progress") ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the records when the job status is `FIN`. A reply with records but without a job counts as finished. */
function finished(reply: DeviceReply): LogResult | undefined {
  const job = descend(reply.result, "job");
  const log = descend(reply.result, "log");
  if (job === undefined ? log === undefined : textOf(descend(job, "status")) !== "FIN") return undefined;
  const logs = descend(log, "logs") ?? log;
  return {
    records: logs?.children.filter((child) => child.tag === "entry") ?? [],
    job: new Map(job?.children.map((field) => [field.tag, textOf(field)])),
    meta: descend(reply.result, "meta"),
  };
}
