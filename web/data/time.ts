/** Time zone of all times. Each time contains its UTC offset, so that a copied time is unambiguous. */

export type Zone = "local" | "utc";

/** Current zone of all views. The header sets it. */
const shown: { zone: Zone } = { zone: "local" };

export function showIn(zone: Zone): void {
  shown.zone = zone;
}

/** Formats `UTC`, `UTC+01:00` or `UTC−03:30` from minutes as in `Date.getTimezoneOffset`. @internal Exported for its test. */
export function offsetText(minutes: number): string {
  if (minutes === 0) return "UTC";
  const two = (n: number) => String(n).padStart(2, "0");
  const all = Math.abs(minutes);
  return `UTC${minutes < 0 ? "+" : "−"}${two(Math.floor(all / 60))}:${two(all % 60)}`;
}

/** Returns the UTC offset at that time. */
export function zoneText(seconds: number): string {
  return shown.zone === "utc" ? "UTC" : offsetText(new Date(seconds * 1000).getTimezoneOffset());
}

/** Formats `2026-11-20 08:00:00 UTC+01:00`. */
export function moment(seconds: number): string {
  return `${dayOf(seconds)} ${parts(seconds).time} ${zoneText(seconds)}`;
}

/** Formats `2026-11-20` in the current zone. @internal Exported for its test. */
export function dayOf(seconds: number): string {
  return parts(seconds).day;
}

/** Returns the first second of a day and of the next day, also for days of 23 or 25 hours. Undefined for an invalid day. */
export function boundsOf(day: string): { readonly since: number; readonly until: number } | undefined {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const start = (by: number) =>
    shown.zone === "utc" ? Date.UTC(year, month - 1, date + by) : new Date(year, month - 1, date + by).getTime();
  return { since: start(0) / 1000, until: start(1) / 1000 };
}

/** Seconds since 1970, with an exclusive end. 0 if not set. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** Returns the day of a period. Empty if the period is not a day in the current zone. */
export function dayAsked({ since, until }: Span): string {
  const day = since === 0 ? "" : dayOf(since);
  const bounds = boundsOf(day);
  return bounds?.since === since && bounds.until === until ? day : "";
}

/** Describes a period that is not a day in the current zone, such as one from another time zone. */
export function spanWords(span: Span): string {
  const { since, until } = span;
  if ((since === 0 && until === 0) || dayAsked(span) !== "") return "";
  return [since === 0 ? "" : `from ${moment(since)}`, until === 0 ? "" : `until ${moment(until)}`].filter(Boolean).join(" ");
}

function parts(seconds: number): { readonly day: string; readonly time: string } {
  const date = new Date(seconds * 1000);
  // ISO texts are in UTC, so the date is moved by the offset to get local time.
  const moved = shown.zone === "utc" ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  const text = moved.toISOString();
  return { day: text.slice(0, 10), time: text.slice(11, 19) };
}
