/** `2026-11-21T01:50:19Z`, as network and compute write times. */
export function seconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-21T01:50:19.000000Z`, as identity v3 writes times. */
export function microseconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}
