import { PlumblineError } from "../../../core/errors.js";
import { isLeaseLost } from "../../../core/write-lease.js";
import type { PushSettings } from "../../../desired/configuration/configuration.js";
import type { Progress, Pushes, PushJob, PushOptions, PushResult } from "../../../engine/write-target.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import { pushCommand, showAllJobs, showJob } from "../client/commands.js";
import { descend } from "../client/reply.js";
import { jobOf } from "../commit/enqueue.js";
import { pollDelay } from "../commit/watch-job.js";
import { deviceTime } from "../log-time.js";
import { readSystemInfo } from "../system-info.js";
import type { WriterParts } from "../write/writer-parts.js";
import { commandOf, partsOf } from "./parts.js";
import { isOver, isRefused, PUSH_JOB, type PushJobState, readPushJob, resultsOf } from "./push-job.js";

/** Number of polls after the end of a job before a firewall that is not in it counts as missing. */
const LOOKS_FOR_MISSING = 3;

/** Pushes from a manager. A job ends when everything is sent; each firewall in it ends later. */
export class FirewallPushes implements Pushes {
  readonly #parts: WriterParts;
  readonly #settings: PushSettings;
  readonly #timeout: number;
  readonly #silence: number;

  /** `silence`: maximum time without an answer about a job, in milliseconds. A restarted manager loses its jobs. */
  constructor(parts: WriterParts, settings: PushSettings, silence: number) {
    this.#parts = parts;
    this.#settings = settings;
    this.#silence = silence;
    this.#timeout = settings.timeout * 1000;
  }

  async parts(rows: readonly ManagedFirewall[]): Promise<readonly (readonly ManagedFirewall[])[]> {
    return partsOf(rows, this.#settings.perJob);
  }

  async start(part: readonly ManagedFirewall[], options: PushOptions): Promise<string> {
    const { client } = await this.#parts.session.current();
    const reply = await client.attempt(pushCommand(commandOf(part, options, this.#settings.systems)));
    if (reply.outcome !== "done") {
      const isSelective = options.admins !== undefined && /admin unexpected here/.test(reply.lines.join(" "));
      throw isSelective ? noSelectivePush(client) : client.refusal(reply);
    }
    const job = jobOf(reply);
    if (job !== undefined) return job;
    throw new PlumblineError("push-unknown", `the push created no job: ${reply.lines.join(" ") || "no reason is given"}`, {
      where: { target: client.place.target },
      next: "Check the manager's tasks, and run again.",
    });
  }

  async watch(job: string, serials: readonly string[] | undefined, progress: Progress): Promise<readonly PushResult[]> {
    const { client } = await this.#parts.session.current();
    const { clock } = this.#parts.dependencies;
    const started = clock.now();
    let lastReply = started;
    let last: PushJobState | undefined;
    let missed = 0;
    let shown = "";
    for (let polls = 0; clock.now() - started <= this.#timeout; polls++) {
      await clock.sleep(Math.min(pollDelay(polls), this.#timeout));
      const state = await stateOf(client, job);
      if (state === undefined && clock.now() - lastReply > this.#silence) break;
      if (state === undefined) continue;
      lastReply = clock.now();
      last = state;
      const ended = state.rows.filter(({ result }) => result !== undefined).length;
      const status = state.rows.length === 0 ? state.status : `${ended} of ${state.rows.length} firewalls ended`;
      if (status !== shown) progress({ job, percent: state.rows.length === 0 ? state.percent : undefined, status });
      shown = status;
      if (!isOver(state)) continue;
      if (isRefused(state) || serials?.every((serial) => state.rows.some((row) => row.serial === serial)) !== false) break;
      if (++missed >= LOOKS_FOR_MISSING) break;
    }
    const wanted = serials ?? last?.rows.map(({ serial }) => serial) ?? [];
    return last === undefined ? wanted.map((serial) => ({ serial, job, result: "unknown", lines: [] })) : resultsOf(last, wanted);
  }

  async jobs(prefix: string): Promise<readonly PushJob[]> {
    const { client } = await this.#parts.session.current();
    const reply = await client.run(showAllJobs);
    const jobs = (reply.result?.children ?? []).filter(({ tag }) => tag === "job").map(readPushJob);
    const pushes = jobs.filter(({ type }) => PUSH_JOB.test(type));
    const sent = pushes.filter(({ status }) => status === "FIN").sort(byNumber);
    const newest = new Set([...sent.slice(0, 1), ...sent.filter(({ description }) => description.startsWith(prefix)).slice(0, 1)]);
    const running = pushes.filter(({ status }) => status !== "FIN").map((each) => ({ ...each, isUnderWay: true }));
    const ended = await Promise.all([...newest].map(async (each) => ({ ...each, isUnderWay: await this.#isOpen(client, each) })));
    return [...running, ...ended].map(({ id, description, isUnderWay }) => ({ job: id, description, isUnderWay }));
  }

  /** Whether a firewall of the job has not ended, and the job started within the push timeout. */
  async #isOpen(client: PanosClient, { id }: PushJobState): Promise<boolean> {
    const state = await stateOf(client, id);
    if (state === undefined || isOver(state)) return false;
    const now = deviceTime((await readSystemInfo(client)).get("time") ?? "");
    const began = state.enqueued === undefined ? undefined : Date.parse(`${state.enqueued.replaceAll("/", "-").replace(" ", "T")}Z`);
    return !(now !== undefined && began !== undefined && now - began > this.#timeout);
  }
}

/** Support for selective pushes depends on the version and on the content. A manager without support refuses the command. */
function noSelectivePush({ place }: PanosClient): PlumblineError {
  return new PlumblineError("push-refused", "This manager takes no push of single administrators' work of this kind", {
    where: { target: place.target },
    next: "Have the others push theirs; --allow unpushed takes it along once, push: { others: include } always.",
    severity: "refused",
  });
}

function byNumber(a: PushJobState, b: PushJobState): number {
  return Number(b.id) - Number(a.id);
}

/** Errors are a normal state here, as for any job. Undefined if the state is currently unknown. */
async function stateOf(client: PanosClient, id: string): Promise<PushJobState | undefined> {
  try {
    const reply = await client.attempt(showJob(id));
    const node = descend(reply.result, "job");
    if (reply.outcome !== "done" || node === undefined) return undefined;
    const state = readPushJob(node);
    return state.status === "" ? undefined : state;
  } catch (error) {
    if (error instanceof PlumblineError && !isLeaseLost(error)) return undefined;
    throw error;
  }
}
