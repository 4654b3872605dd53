/** Formats a time as `yyyy/mm/dd hh:mm:ss`, the format of logs. */
export function logTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Parses the device's local time from `time` of its system information (`Tue Jun 12 04:36:45 2018`, or with the year before the time). The
 * result treats it as UTC: logs have no time zone, and only differences are used.
 */
export function deviceTime(text: string): number | undefined {
  const [, monthFirst, dayAfter] = /\b([A-Z][a-z]{2})\s+(\d{1,2})\b/.exec(text) ?? [];
  const [, dayFirst, monthAfter] = /\b(\d{1,2})\s+([A-Z][a-z]{2})\b/.exec(text) ?? [];
  const clock = /\b(\d\d):(\d\d):(\d\d)\b/.exec(text);
  const year = /\b(\d{4})\b/.exec(text)?.[1];
  const [month, day] = MONTHS.includes(monthFirst ?? "") ? [monthFirst, dayAfter] : [monthAfter, dayFirst];
  const index = MONTHS.indexOf(month ?? "");
  if (index < 0 || clock === null || year === undefined) return undefined;
  return Date.UTC(Number(year), index, Number(day), Number(clock[1]), Number(clock[2]), Number(clock[3]));
}

/** Returns the device's filter for records from `since` on that also match `query`. */
export function filterFor(since: string | undefined, query: string | undefined): string | undefined {
  const wanted = query?.trim() === "" ? undefined : query?.trim();
  if (since === undefined) return wanted;
  const from = `( receive_time geq '${since}' )`;
  if (wanted === undefined) return from;
  const isConjunction = wanted.startsWith("(") && !/\bor\b/i.test(wanted);
  return `${from} and ${isConjunction ? wanted : `( ${wanted} )`}`;
}

/** Returns the filter for records in a period that also match `query`. */
export function filterBetween(since: string, until: string, query: string | undefined): string {
  const bounds = `( receive_time geq '${since}' ) and ( receive_time leq '${until}' )`;
  return query === undefined ? bounds : `${bounds} and ( ${query} )`;
}
