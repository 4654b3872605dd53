import { PlumblineError } from "../../errors.js";

/** A moment on the device's clock, or a stretch of time before now, in milliseconds. */
export type Since = { readonly at: string } | { readonly ago: number };

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MOMENT = /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Reads `90s`, `15m`, `2h`, `1d`, or a date with or without a time, as the device's own clock shows it. */
export function parseSince(text: string): Since {
  const [, amount, unit = ""] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return { ago: Number(amount) * (UNITS[unit] ?? 0) };
  const moment = MOMENT.exec(text);
  if (moment !== null) {
    const [, year, month, day, hour = "00", minute = "00", second = "00"] = moment;
    const at = `${year}/${month}/${day} ${hour}:${minute}:${second}`;
    const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    if (!Number.isNaN(time) && logTime(time) === at) return { at };
  }
  throw new PlumblineError("option-invalid", `--since "${text}" is neither a stretch of time nor a moment.`, {
    next: 'Give 90s, 15m, 2h or 1d, or a moment of the device\'s clock: 2026-01-05 or "2026-01-05 08:00:00".',
  });
}

/** `yyyy/mm/dd hh:mm:ss`, as logs have it. */
export function logTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * The device's own time of day, read from `time` of its system information (`Tue Jun 12 04:36:45 2018`, or with the
 * year before the time), as if it were UTC: logs carry no time zone, and only differences are used.
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

/** The device's filter for records from `since` on that also pass `query`. */
export function filterFor(since: string | undefined, query: string | undefined): string | undefined {
  const wanted = query?.trim() === "" ? undefined : query?.trim();
  if (since === undefined) return wanted;
  const from = `( receive_time geq '${since}' )`;
  if (wanted === undefined) return from;
  const isConjunction = wanted.startsWith("(") && !/\bor\b/i.test(wanted);
  return `${from} and ${isConjunction ? wanted : `( ${wanted} )`}`;
}
