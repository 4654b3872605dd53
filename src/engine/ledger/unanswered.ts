import type { LedgerRecord } from "../ledger.js";

/** Days after which no request is carried out any more. */
const DAYS = 2;
const DAY = 86_400_000;

/** What the ledger says of a request that was given up on `day` (yyyy-mm-dd). `print`: of what it makes, where no mark of ours will be on that. */
export function unansweredOn(day: string, print: string | undefined): string {
  return print === undefined ? day : `${day} ${print}`;
}

/** The print in what `unansweredOn` gave, if there is one. */
export function printIn(unanswered: string | undefined): string | undefined {
  return unanswered?.split(" ")[1];
}

/** Requests of the ledger that may be carried out still: path, and what `unansweredOn` gave when each was given up. */
export function stillUnanswered(record: LedgerRecord | undefined, today: string): Readonly<Record<string, string>> {
  const since = new Date(Date.parse(today) - DAYS * DAY).toISOString().slice(0, 10);
  return Object.fromEntries(Object.entries(record?.unanswered ?? {}).filter(([, day]) => day >= since));
}
