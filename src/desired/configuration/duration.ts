/** Durations such as `90s`, `15m`, `2h`, `7d`. */
export const DURATION_PATTERN = "^[1-9][0-9]*[smhd]$";

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Returns milliseconds. Accepts a text that matches `DURATION_PATTERN` or a positive number of seconds; otherwise returns undefined. */
export function parseDuration(text: string | number): number | undefined {
  if (typeof text === "number") return text > 0 ? text * 1000 : undefined;
  const match = new RegExp(DURATION_PATTERN).exec(text);
  if (match === null) return undefined;
  return Number(text.slice(0, -1)) * SECONDS[text.at(-1) as keyof typeof SECONDS] * 1000;
}
