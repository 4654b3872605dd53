/** `good` may run, `bad` must not, `open` needs a decision by a person. */
export type VerdictRating = "good" | "open" | "bad";

export interface Meaning {
  readonly word: string;
  readonly standing: VerdictRating;
}

/** Verdicts of the specification (1, 0, -102) and additional ones of the service (docs/contributing/devices/verdict-service.md). */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [0, { word: "benign", standing: "good" }],
  [1, { word: "malicious", standing: "bad" }],
  [2, { word: "grayware", standing: "bad" }],
  [4, { word: "phishing", standing: "bad" }],
  [5, { word: "command-and-control", standing: "bad" }],
  [-100, { word: "pending", standing: "open" }],
  [-101, { word: "error", standing: "open" }],
  [-102, { word: "unknown", standing: "open" }],
  [-103, { word: "invalid-hash", standing: "open" }],
]);

const ABSENT: Meaning = { word: "absent", standing: "open" };

/**
 * Returns the meaning of a verdict. Undefined means a hash that the reply omits. An unknown number is bad if positive, like all known
 * positive ones, and open if negative.
 */
export function meaningOf(verdict: number | undefined): Meaning {
  if (verdict === undefined) return ABSENT;
  return MEANINGS.get(verdict) ?? { word: `verdict ${verdict}`, standing: verdict > 0 ? "bad" : "open" };
}

const RANK: Readonly<Record<VerdictRating, number>> = { good: 0, open: 1, bad: 2 };

/** Returns the worse of two verdicts. A service returns several for one hash, for example for an MD5 that two files share. */
export function worse(a: number, b: number): number {
  return RANK[meaningOf(b).standing] > RANK[meaningOf(a).standing] ? b : a;
}
