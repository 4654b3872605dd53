import { sleep } from "../../core/clock.js";
import type { LogReader } from "../../engine/log-reader.js";
import type { LogRecord, LogSearchWaiter } from "../../reachability/policy-target.js";
import type { Context } from "../context.js";
import type { Terminal } from "../terminal.js";
import { follow } from "./follow.js";
import type { LogPrinter } from "./printer.js";
import { deviceTime, logTime, type Since } from "./since.js";

/** Options for the display of a target's logs. */
export interface LogQuery {
  readonly type: string;
  readonly query: string | undefined;
  readonly since: Since | undefined;
  readonly columns: readonly string[] | undefined;
  readonly count: number;
  readonly follow: boolean;
}

/** Shows logs of one target, once or until the run is stopped. */
export class LogShow {
  readonly #query: LogQuery;
  readonly #context: Context;
  readonly #session: Terminal;
  readonly #printer: LogPrinter;
  readonly #waiter: LogSearchWaiter;
  #printed = 0;
  /** Fields that must occur in the first records. */
  #unchecked: readonly string[];

  constructor(query: LogQuery, printer: LogPrinter, context: Context, session: Terminal) {
    this.#query = query;
    this.#context = context;
    this.#session = session;
    this.#printer = printer;
    this.#unchecked = query.columns ?? [];
    this.#waiter = {
      stop: context.stop,
      progress: ({ job, status, percent }) =>
        session.progress.update(`${query.type} log: job ${job} ${status}${percent === undefined ? "" : `, ${percent} %`}`),
    };
  }

  async run(reader: LogReader): Promise<void> {
    try {
      const { since, follow } = this.#query;
      const now = follow || (since !== undefined && "ago" in since) ? await this.#deviceNow(reader) : 0;
      const from = since === undefined ? undefined : "at" in since ? since.at : logTime(now - since.ago);
      if (follow) await this.#follow(reader, from, logTime(now));
      else for await (const page of this.#search(reader, from)) this.#print(page);
      if (this.#printed === 0 && !follow) this.#reportNothingFound(from);
      // Skipped after an error: a closed list would look complete.
      this.#context.stdout.write(this.#printer.end());
    } finally {
      this.#session.progress.end();
    }
  }

  #reportNothingFound(from: string | undefined): void {
    const { type, query } = this.#query;
    const since = from === undefined ? "" : ` since ${from} by its own clock`;
    this.#session.progress.end();
    this.#context.stderr.write(`no records of the ${type} log${query === undefined ? "" : ` pass ${query}`}${since}\n`);
  }

  #search(reader: LogReader, since: string | undefined): AsyncIterable<readonly LogRecord[]> {
    const { type, query, count } = this.#query;
    return reader.searchLogs({ type, query, since, count, direction: "backward" }, this.#waiter);
  }

  async #follow(reader: LogReader, since: string | undefined, now: string): Promise<void> {
    const { type, query } = this.#query;
    const shown: LogRecord[] = [];
    for await (const page of this.#search(reader, since)) shown.push(...page);
    shown.reverse();
    this.#print(shown);
    await follow(shown, since ?? now, {
      search: (from) =>
        reader.searchLogs({ type, query, since: from, count: Number.POSITIVE_INFINITY, direction: "forward" }, this.#waiter),
      print: (page) => this.#print(page),
      warn: ({ code, message }) => this.#session.logger.warn({ code }, `${message}; looking again`),
      sleep: (milliseconds) => (this.#context.sleep ?? sleep)(milliseconds, this.#context.stop),
      stop: this.#context.stop,
    });
  }

  #print(page: readonly LogRecord[]): void {
    this.#session.progress.end();
    this.#printed += page.length;
    this.#warnOfUnknownFields(page);
    this.#context.stdout.write(this.#printer.print(page));
  }

  #warnOfUnknownFields(page: readonly LogRecord[]): void {
    const [first] = page;
    if (first === undefined) return;
    const unknown = this.#unchecked.filter((column) => !page.some((record) => record.has(column)));
    this.#unchecked = [];
    if (unknown.length > 0) this.#session.logger.warn(`no record has ${unknown.join(", ")}; there are: ${[...first.keys()].join(", ")}`);
  }

  /** Returns the firewall's time in milliseconds. Uses our clock if it cannot be parsed. */
  async #deviceNow(reader: LogReader): Promise<number> {
    const shown = (await reader.status()).get("time") ?? "";
    const time = deviceTime(shown);
    if (time !== undefined) return time;
    this.#session.logger.warn(
      { target: reader.name },
      `the time of ${reader.name} cannot be parsed ("${shown.trim()}"): ours in UTC is used`,
    );
    return this.#context.now().getTime();
  }
}
