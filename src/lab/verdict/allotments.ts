const DAY = 24 * 3600 * 1000;
const LAST_MINUTE = 60 * 1000;

/** Counts queries by key and day. A day ends at 23:59 UTC (docs/contributing/devices/verdict-service.md). */
export class Allotments {
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

function dayOf(now: number): number {
  return Math.floor((now + LAST_MINUTE) / DAY);
}
