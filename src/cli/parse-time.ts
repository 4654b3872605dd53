import { PlumblineError } from "../core/errors.js";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_AND_TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/;

/**
 * Parses a time in milliseconds since 1970: a duration before now (`90s`, `15m`, `2h`, `1d`, `1w`), or a date with an optional time (UTC).
 */
export function parseTime(option: string, text: string, now: number): number {
  const [, amount, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNITS[unit] ?? 0);
  const [, date = text, time = "00:00", zone = "Z"] = DATE_AND_TIME.exec(text) ?? [];
  const instant = DATE.test(date) ? Date.parse(`${date}T${time}${zone}`) : Number.NaN;
  if (!Number.isNaN(instant)) return instant;
  throw new PlumblineError("option-invalid", `${option} "${text}" is neither a stretch of time nor a moment.`, {
    next: 'Give 15m, 2h, 1d or 1w ago, or a moment in UTC: 2026-01-05 or "2026-01-05 08:00".',
  });
}
