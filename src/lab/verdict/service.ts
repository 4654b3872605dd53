import { systemClock } from "../panos/clock.js";
import { VerdictFaults } from "./faults.js";
import { DEMO_FILES, KnownFiles } from "./known-files.js";
import { DEFAULT_ALLOTMENT, LAB_KEY, type VerdictLabOptions } from "./options.js";
import { changedVerdicts, type Fields, manyVerdicts, oneVerdict } from "./queries.js";
import { refusals, VerdictRefusal } from "./refusal.js";
import { errorXml, type Info, verdictsXml } from "./xml.js";

const DAY = 24 * 3600 * 1000;

const LAST_MINUTE = 60 * 1000;

/** Counts queries by key and day. A day ends at 23:59 UTC (docs/contributing/devices/verdict-service.md). */
class Allotments {
  readonly #limit: number;
  readonly #used = new Map<string, { readonly day: number; readonly queries: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Uses one query. Returns false if the allotment is used up. */
  take(key: string, now: number): boolean {
    const queries = this.used(key, now);
    if (queries >= this.#limit) return false;
    this.#used.set(key, { day: dayOf(now), queries: queries + 1 });
    return true;
  }

  used(key: string, now: number): number {
    const row = this.#used.get(key);
    return row?.day === dayOf(now) ? row.queries : 0;
  }
}

/** One call as it came: the key is that of the form, or of `Authorization: Bearer`. */
export interface VerdictCall {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly fields: Fields;
}

/** A call as the journal has it. Keys are not in it. */
export interface VerdictJournalEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Entries of the reply. */
  readonly entries: number;
}

export interface VerdictAnswer {
  readonly http: number;
  readonly text: string;
}

/** The file-verdict service, past the wire: files, keys, allotments, journal. */
export class VerdictLab {
  readonly files = new KnownFiles();
  readonly faults = new VerdictFaults();
  readonly journal: VerdictJournalEntry[] = [];
  readonly keys: ReadonlySet<string>;
  readonly #allotments: Allotments;
  readonly #options: VerdictLabOptions;
  readonly #now: () => number;

  constructor(options: VerdictLabOptions = {}) {
    const clock = options.clock ?? systemClock;
    this.#options = options;
    this.#now = () => clock.now();
    this.keys = new Set(options.keys ?? [LAB_KEY]);
    this.#allotments = new Allotments(options.allotment ?? DEFAULT_ALLOTMENT);
    for (const file of [...DEMO_FILES, ...(options.hashes ?? [])]) this.files.add(file, this.#now());
  }

  now(): number {
    return this.#now();
  }

  /** Queries that a key has made today. */
  used(key: string): number {
    return this.#allotments.used(key, this.#now());
  }

  answer(call: VerdictCall): VerdictAnswer {
    try {
      const infos = this.#infos(call);
      this.#note(call, 200, infos.length);
      return { http: 200, text: verdictsXml(this.#options.root ?? "analysis", infos) };
    } catch (error) {
      if (!(error instanceof VerdictRefusal)) throw error;
      return this.refuse(call, error);
    }
  }

  refuse(call: VerdictCall, { status, message }: VerdictRefusal): VerdictAnswer {
    this.#note(call, status, 0);
    return { http: status, text: errorXml(message) };
  }

  /** Method and path, then the key, then the fields; only a query that could be answered counts against the allotment. */
  #infos({ method, path, key, fields }: VerdictCall): readonly Info[] {
    const query = this.#queryAt(path);
    if (method !== "POST") throw refusals.method();
    if (key === undefined || !this.keys.has(key)) throw refusals.key();
    const infos = query(fields);
    if (!this.#allotments.take(key, this.#now())) throw refusals.quota();
    return this.#options.unknown === "absent" ? infos.filter(({ verdict }) => verdict !== -102) : infos;
  }

  #queryAt(path: string): (fields: Fields) => Info[] {
    switch (path) {
      case "/publicapi/get/verdict":
        return (fields) => oneVerdict(fields, this.files);
      case "/publicapi/get/verdicts":
        return (fields) => manyVerdicts(fields, this.files);
      case "/publicapi/get/verdicts/changed":
        return (fields) => changedVerdicts(fields, this.files, this.#now());
      default:
        throw refusals.path();
    }
  }

  #note({ method, path }: VerdictCall, status: number, entries: number): void {
    this.journal.push({ method, path, status, entries });
  }
}

function dayOf(now: number): number {
  return Math.floor((now + LAST_MINUTE) / DAY);
}
