import { goOnUnless } from "../core/interrupted.js";
import type { Allotment } from "./allotment.js";
import type { KnownVerdict, VerdictCache } from "./cache.js";
import { MAX_HASHES, type VerdictClient } from "./client.js";

export interface FileVerdict {
  readonly hash: string;
  /** Undefined: the reply left the hash out. */
  readonly verdict: number | undefined;
  /** When the service was asked, in milliseconds since 1970. */
  readonly asked: number;
  readonly source: "service" | "cache";
}

export interface LookUp {
  /** One for each distinct hash, lower case, in the order of first asking. */
  readonly verdicts: ReadonlyMap<string, FileVerdict>;
  /** Requests that this look-up made, repeated ones not counted. */
  readonly requests: number;
}

/** What a look-up works with; `now` gives milliseconds since 1970. */
export interface LookUpParts {
  readonly client: VerdictClient;
  readonly cache: VerdictCache;
  readonly allotment: Allotment;
  readonly now: () => number;
}

export interface LookUpOptions {
  /** Aborted: no further request is made. */
  readonly stop: AbortSignal;
  /** Ask again for what is remembered, too. */
  readonly fresh?: boolean | undefined;
  /** Told before each request how many hashes of those to ask for are done. */
  readonly progress?: (done: number, all: number) => void;
}

/**
 * Verdicts for hashes (valid ones, lower case): duplicates are asked once, known ones not at all, the others at most
 * 500 a request. Nothing is sent when the allotment does not suffice for all of them.
 */
export async function lookUp(
  hashes: readonly string[],
  { client, cache, allotment, now }: LookUpParts,
  { stop, progress, fresh = false }: LookUpOptions,
): Promise<LookUp> {
  const verdicts = new Map<string, FileVerdict | undefined>();
  const missing: string[] = [];
  for (const hash of hashes) {
    if (verdicts.has(hash)) continue;
    const known = fresh ? undefined : cache.get(hash);
    verdicts.set(hash, known === undefined ? undefined : { hash, ...known, source: "cache" });
    if (known === undefined) missing.push(hash);
  }
  const requests = Math.ceil(missing.length / MAX_HASHES);
  if (requests > 0) await allotment.require(requests);
  for (let at = 0; at < missing.length; at += MAX_HASHES) {
    progress?.(at, missing.length);
    goOnUnless(stop);
    const asked = missing.slice(at, at + MAX_HASHES);
    const found = await client.query(asked);
    const answers = new Map<string, KnownVerdict>(asked.map((hash) => [hash, { verdict: found.get(hash), asked: now() }]));
    await cache.add(answers);
    for (const [hash, answer] of answers) verdicts.set(hash, { hash, ...answer, source: "service" });
  }
  return { verdicts: verdicts as ReadonlyMap<string, FileVerdict>, requests };
}
