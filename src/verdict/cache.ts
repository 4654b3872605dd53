import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeAtomically } from "../core/atomic-file.js";
import { normalHash } from "../core/file-hash.js";
import { meaningOf } from "../outcome/verdict-meaning.js";

const HOUR = 3600 * 1000;

/**
 * Maximum number of entries kept between runs, about 10 MB.
 *
 * @internal Exported for its test, which exceeds it.
 */
export const MAX_ENTRIES = 100_000;

/** Reply of the service for a hash. `verdict` is undefined if the reply omits the hash. */
export interface KnownVerdict {
  readonly verdict: number | undefined;
  /** Time of the query, in milliseconds since 1970. */
  readonly asked: number;
}

interface Row {
  readonly hash: string;
  readonly verdict: number | null;
  readonly asked: number;
}

/** Returns the milliseconds for which a verdict is valid: long for a final one, short for one that may change soon. */
function timeToLive(verdict: number | undefined): number {
  if (verdict === -100 || verdict === -101) return HOUR / 4;
  switch (meaningOf(verdict).standing) {
    case "bad":
      return 30 * 24 * HOUR;
    case "good":
      return 7 * 24 * HOUR;
    case "open":
      return HOUR;
  }
}

/**
 * Caches the verdicts of one service in a file of JSON lines. Each reply is appended immediately, so that a crash does not waste queries.
 * `open` rewrites the file when more than half of its lines are outdated or exceed the limit.
 */
export class VerdictCache {
  readonly #file: string;
  readonly #now: () => number;
  readonly #entries: Map<string, KnownVerdict>;

  private constructor(file: string, now: () => number, entries: Map<string, KnownVerdict>) {
    this.#file = file;
    this.#now = now;
    this.#entries = entries;
  }

  static async open(file: string, now: () => number): Promise<VerdictCache> {
    const lines = (await textOf(file)).split("\n").filter((line) => line !== "");
    const entries = new Map<string, KnownVerdict>();
    for (const row of lines.flatMap(parseRow)) {
      // Delete first, so that the map stays in the order of the queries.
      entries.delete(row.hash);
      if (isFresh(row, now())) entries.set(row.hash, { verdict: row.verdict ?? undefined, asked: row.asked });
    }
    const surplus = entries.size - MAX_ENTRIES;
    for (const hash of [...entries.keys()].slice(0, Math.max(0, surplus))) entries.delete(hash);
    if (lines.length > 2 * entries.size + 100) await writeAtomically(file, textFor(entries), 0o600);
    return new VerdictCache(file, now, entries);
  }

  /** Returns the verdict of a hash. Undefined if the cache has no valid one. */
  get(hash: string): KnownVerdict | undefined {
    const known = this.#entries.get(hash);
    return known !== undefined && isFresh({ ...known, verdict: known.verdict ?? null }, this.#now()) ? known : undefined;
  }

  async add(verdicts: ReadonlyMap<string, KnownVerdict>): Promise<void> {
    for (const [hash, verdict] of verdicts) this.#entries.set(hash, verdict);
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await appendFile(this.#file, textFor(verdicts), { mode: 0o600, flush: true });
  }
}

/** Returns whether a verdict is still valid. A time in the future, after the clock was set back, is not. */
function isFresh({ verdict, asked }: Pick<Row, "verdict" | "asked">, now: number): boolean {
  return asked <= now && now < asked + timeToLive(verdict ?? undefined);
}

function textFor(verdicts: ReadonlyMap<string, KnownVerdict>): string {
  let text = "";
  for (const [hash, { verdict, asked }] of verdicts) text += `${JSON.stringify({ hash, verdict: verdict ?? null, asked } satisfies Row)}\n`;
  return text;
}

function parseRow(line: string): Row[] {
  try {
    const row = JSON.parse(line) as Partial<Row>;
    const isVerdict = row.verdict === null || Number.isInteger(row.verdict);
    return isVerdict && typeof row.asked === "number" && normalHash(String(row.hash)) === row.hash ? [row as Row] : [];
  } catch {
    return [];
  }
}

async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
}
