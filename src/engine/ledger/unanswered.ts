import type { LedgerRecord } from "../ledger.js";

/** Days after which no request is carried out any more. */
const DAYS = 2;
const DAY = 86_400_000;

const THEIRS = "theirs";

/** What a request makes that was given up, where no mark of ours will be on that. */
export interface Sent {
  readonly print: string;
  /** Somebody else's stood there before us: only who made it says whether it is ours. */
  readonly wasTheirs: boolean;
}

/** What the ledger says of a request that was given up on `day` (yyyy-mm-dd). */
export function unansweredOn(day: string, sent: Sent | undefined): string {
  return sent === undefined ? day : [day, sent.print, ...(sent.wasTheirs ? [THEIRS] : [])].join(" ");
}

/** What it makes by what `unansweredOn` gave, where that says it. */
export function sentBy(unanswered: string | undefined): Sent | undefined {
  const [, print, whose] = unanswered?.split(" ") ?? [];
  return print === undefined ? undefined : { print, wasTheirs: whose === THEIRS };
}

/** Requests of the ledger that may be carried out still: path, and what `unansweredOn` gave when each was given up. */
export function stillUnanswered(record: LedgerRecord | undefined, today: string): Readonly<Record<string, string>> {
  const since = new Date(Date.parse(today) - DAYS * DAY).toISOString().slice(0, 10);
  return Object.fromEntries(Object.entries(record?.unanswered ?? {}).filter(([, day]) => day >= since));
}
