import type { LedgerRecord } from "./ledger.js";

/** Days after which no request is carried out any more. */
const DAYS = 2;
const DAY = 86_400_000;

const THEIRS = "theirs";
const COMMIT = "commit:";

/** The object that an unanswered request creates, on platforms without owner marks. */
export interface Sent {
  readonly print: string;
  /** An object of another administrator was there before. Then only its last author shows whether ours replaced it. */
  readonly wasTheirs: boolean;
  /** The commit whose documents declare it; undefined outside git. */
  readonly commit: string | undefined;
}

/** Formats a ledger entry for a request that was given up on `day` (yyyy-mm-dd). */
export function unansweredOn(day: string, sent: Sent | undefined): string {
  if (sent === undefined) return day;
  const commit = sent.commit === undefined ? [] : [COMMIT + sent.commit];
  return [day, sent.print, ...(sent.wasTheirs ? [THEIRS] : []), ...commit].join(" ");
}

/** Parses the result of `unansweredOn`. Undefined if the entry only has a day. */
export function sentBy(unanswered: string | undefined): Sent | undefined {
  const [, print, ...more] = unanswered?.split(" ") ?? [];
  const commit = more.find((word) => word.startsWith(COMMIT))?.slice(COMMIT.length);
  return print === undefined ? undefined : { print, wasTheirs: more.includes(THEIRS), commit };
}

/** Requests in the ledger that the platform may still carry out: path, and the result of `unansweredOn` when the run gave up. */
export function stillUnanswered(record: LedgerRecord | undefined, today: string): Readonly<Record<string, string>> {
  const since = new Date(Date.parse(today) - DAYS * DAY).toISOString().slice(0, 10);
  return Object.fromEntries(Object.entries(record?.unanswered ?? {}).filter(([, day]) => day >= since));
}
