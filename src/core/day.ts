/** Returns the day of a time, yyyy-mm-dd in UTC. `time`: a date, or milliseconds since 1970. */
export function dayOf(time: Date | number): string {
  return new Date(time).toISOString().slice(0, 10);
}
