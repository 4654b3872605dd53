import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../core/atomic-file.js";
import { PlumblineError } from "../core/errors.js";

const DAY = 24 * 3600 * 1000;
/** Daily reset of the count: 23:59 UTC (docs/contributing/devices/verdict-service.md). */
const RESET_AFTER_MIDNIGHT = (23 * 60 + 59) * 60 * 1000;

/** Returns the next reset after `now`, in milliseconds since 1970. */
function nextReset(now: number): number {
  const midnight = Math.floor(now / DAY) * DAY;
  const reset = midnight + RESET_AFTER_MIDNIGHT;
  return now < reset ? reset : reset + DAY;
}

interface Row {
  /** Number of queries. Negative for a query that was not sent. */
  readonly n?: number;
  /** The service reported that the allotment is used up. */
  readonly spent?: true;
}

/**
 * Counts the queries of one account until the next reset. Each query appends a row to a file, so that concurrent processes share the count
 * and a killed process keeps it.
 */
export class Allotment {
  readonly #folder: string;
  readonly #limit: number;
  readonly #now: () => number;

  /** `folder` belongs to one account. */
  constructor(folder: string, limit: number, now: () => number) {
    this.#folder = folder;
    this.#limit = limit;
    this.#now = now;
  }

  /** Returns the number of queries left until the next reset. */
  async left(): Promise<number> {
    const text = await readFile(this.#file(), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    let used = 0;
    for (const row of text.split("\n").flatMap(parseRow)) used = row.spent === true ? Math.max(used, this.#limit) : used + (row.n ?? 0);
    return Math.max(0, this.#limit - used);
  }

  /** Throws `verdict-allotment-spent` if fewer than `queries` are left. */
  async require(queries: number): Promise<void> {
    const left = await this.left();
    if (queries <= left) return;
    throw this.#spent(`${queries} ${queries === 1 ? "query is" : "queries are"} needed and ${left} of ${this.#limit} are left`);
  }

  /** Counts a query that is about to be sent. */
  count(): Promise<void> {
    return this.#append({ n: 1 });
  }

  /** Reverts the count of a query that was not sent. */
  giveBack(): Promise<void> {
    return this.#append({ n: -1 });
  }

  /** Records that the allotment is used up until the next reset. Returns the error to throw. */
  async spent(origin: string): Promise<PlumblineError> {
    await this.#append({ spent: true });
    return this.#spent(`${origin} reports that the daily limit is reached (HTTP status 419)`);
  }

  async #append(row: Row): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#file();
    const handle = await open(file, "a", 0o600);
    const isNew = (await handle.stat()).size === 0;
    try {
      await handle.writeFile(`${JSON.stringify(row)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (isNew) await this.#forgetFormer();
  }

  async #forgetFormer(): Promise<void> {
    const current = this.#name();
    const former = (await readdir(this.#folder)).filter((name) => /^queries-.*\.jsonl$/.test(name) && name < current);
    await Promise.all(former.map((name) => rm(join(this.#folder, name), { force: true })));
    await syncFolder(this.#folder);
  }

  #file(): string {
    return join(this.#folder, this.#name());
  }

  #name(): string {
    return `queries-${new Date(nextReset(this.#now())).toISOString().slice(0, 10)}.jsonl`;
  }

  #spent(why: string): PlumblineError {
    const reset = new Date(nextReset(this.#now())).toISOString().slice(0, 16).replace("T", " ");
    return new PlumblineError("verdict-allotment-spent", `the daily allotment of verdict queries does not suffice: ${why}`, {
      next: `It is reset at ${reset} UTC. Request fewer hashes until then, or set the size of the account with --allotment.`,
    });
  }
}

function parseRow(line: string): Row[] {
  try {
    return [JSON.parse(line) as Row];
  } catch {
    return [];
  }
}
