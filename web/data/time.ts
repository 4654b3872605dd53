/** How every view writes a moment: with its distance from UTC, so that what is read aloud or copied is right elsewhere too. */

export type Zone = "local" | "utc";

/** One for all views; the header sets it. */
const shown: { zone: Zone } = { zone: "local" };

export function showIn(zone: Zone): void {
  shown.zone = zone;
}

/** `UTC`, `UTC+01:00`, `UTC−03:30`: minutes as `Date.getTimezoneOffset` has them. @internal Exported for its test. */
export function offsetText(minutes: number): string {
  if (minutes === 0) return "UTC";
  const two = (n: number) => String(n).padStart(2, "0");
  const all = Math.abs(minutes);
  return `UTC${minutes < 0 ? "+" : "−"}${two(Math.floor(all / 60))}:${two(all % 60)}`;
}

/** What stands at the top of every page: the distance from UTC now. */
export function zoneText(seconds: number): string {
  return shown.zone === "utc" ? "UTC" : offsetText(new Date(seconds * 1000).getTimezoneOffset());
}

/** `2026-11-20 08:00:00 UTC+01:00`. */
export function moment(seconds: number): string {
  return `${dayOf(seconds)} ${parts(seconds).time} ${zoneText(seconds)}`;
}

/** `2026-11-20`, as the zone that is shown has it. @internal Exported for its test. */
export function dayOf(seconds: number): string {
  return parts(seconds).day;
}

/** The first second of a day and the first one after it, also of a day of 23 or 25 hours; undefined for what is no day. */
export function boundsOf(day: string): { readonly since: number; readonly until: number } | undefined {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const start = (by: number) =>
    shown.zone === "utc" ? Date.UTC(year, month - 1, date + by) : new Date(year, month - 1, date + by).getTime();
  return { since: start(0) / 1000, until: start(1) / 1000 };
}

/** Seconds since 1970, the end exclusive; 0 where there is none. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** The day that is asked for; empty where it is none of the zone that is shown. */
export function dayAsked({ since, until }: Span): string {
  const day = since === 0 ? "" : dayOf(since);
  const bounds = boundsOf(day);
  return bounds?.since === since && bounds.until === until ? day : "";
}

/** In words, for a time that is no day of the zone that is shown: somebody elsewhere sent it. */
export function spanWords(span: Span): string {
  const { since, until } = span;
  if ((since === 0 && until === 0) || dayAsked(span) !== "") return "";
  return [since === 0 ? "" : `from ${moment(since)}`, until === 0 ? "" : `until ${moment(until)}`].filter(Boolean).join(" ");
}

function parts(seconds: number): { readonly day: string; readonly time: string } {
  const date = new Date(seconds * 1000);
  // ISO texts are of UTC: a date that is moved by the offset reads as the clock on the wall.
  const moved = shown.zone === "utc" ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  const text = moved.toISOString();
  return { day: text.slice(0, 10), time: text.slice(11, 19) };
}
