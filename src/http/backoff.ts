/** Most tries of a request that is safe to repeat. */
export const MAX_TRIES = 4;

const BASE = 500;
const LONGEST = 8_000;

/** Exponential backoff with full jitter: milliseconds to wait before try `next` (the second try is 2). */
export function backoff(next: number, random: () => number): number {
  return Math.floor(random() * Math.min(LONGEST, BASE * 2 ** (next - 2)));
}
