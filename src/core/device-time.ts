/** `yyyy/mm/dd hh:mm:ss` as milliseconds, as if it were UTC: only differences on one clock are used. */
export function millisecondsOf(time: string): number {
  return Date.parse(`${time.replaceAll("/", "-").replace(" ", "T")}Z`);
}

/** Milliseconds as `yyyy/mm/dd hh:mm:ss`. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}

/** Also for negative numbers of minutes. */
export function minutesAfter(time: string, minutes: number): string {
  return timeText(millisecondsOf(time) + minutes * 60_000);
}
