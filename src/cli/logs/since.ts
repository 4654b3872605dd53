import { PlumblineError } from "../../core/errors.js";
import { logTime } from "../../targets/panos/log-time.js";

export { deviceTime, logTime } from "../../targets/panos/log-time.js";

/** A time of the device clock, or a duration before now in milliseconds. */
export type Since = { readonly at: string } | { readonly ago: number };

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const TIME = /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Parses `90s`, `15m`, `2h`, `1d`, `1w`, or a date with an optional time of the device clock. */
export function parseSince(text: string, option = "--since"): Since {
  const [, amount, unit = ""] = /^(\d{1,5})([smhdw])$/.exec(text) ?? [];
  if (amount !== undefined) return { ago: Number(amount) * (UNITS[unit] ?? 0) };
  const match = TIME.exec(text);
  if (match !== null) {
    const [, year, month, day, hour = "00", minute = "00", second = "00"] = match;
    const at = `${year}/${month}/${day} ${hour}:${minute}:${second}`;
    const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    if (!Number.isNaN(time) && logTime(time) === at) return { at };
  }
  throw new PlumblineError("option-invalid", `${option} "${text}" is neither a stretch of time nor a moment.`, {
    next: 'Give 90s, 15m, 2h, 1d or 1w, or a moment of the device\'s clock: 2026-01-05 or "2026-01-05 08:00:00".',
  });
}
