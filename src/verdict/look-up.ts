import { throwIfStopped } from "../core/interrupted.js";
import type { Allotment } from "./allotment.js";
import type { KnownVerdict, VerdictCache } from "./cache.js";
import { MAX_HASHES, type VerdictClient } from "./client.js";

export interface FileVerdict {
  readonly hash: string;
  /** Undefined if the reply omits the hash. */
  readonly verdict: number | undefined;
  /** Time of the query, in milliseconds since 1970. */
  readonly asked: number;
  readonly source: "service" | "cache";
}

export interface LookUp {
  /** One verdict per distinct hash (lower case), in the order of the input. */
  readonly verdicts: ReadonlyMap<string, FileVerdict>;
  /** Number of requests, without retries. */
  readonly requests: number;
}

/** `now` returns milliseconds since 1970. */
export interface LookUpParts {
  readonly client: VerdictClient;
  readonly cache: VerdictCache;
  readonly allotment: Allotment;
  readonly now: () => number;
}

export interface LookUpOptions {
  /** Aborting it prevents further requests. */
  readonly stop: AbortSignal;
  /** Also query hashes that are in the cache. */
  readonly fresh?: boolean | undefined;
  /** Called before each request. `all` is the number of hashes to query, `done` the number of queried ones. */
  readonly progress?: (done: number, all: number) => void;
}

/**
 * Looks up verdicts for hashes, which must be valid and lower case. Queries each hash once, up to 500 per request, and skips cached ones.
 * Throws `verdict-allotment-spent` before the first request if the allotment is too small for all of them.
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
    throwIfStopped(stop);
    const batch = missing.slice(at, at + MAX_HASHES);
    const found = await client.query(batch);
    const answers = new Map<string, KnownVerdict>(batch.map((hash) => [hash, { verdict: found.get(hash), asked: now() }]));
    await cache.add(answers);
    for (const [hash, answer] of answers) verdicts.set(hash, { hash, ...answer, source: "service" });
  }
  return { verdicts: verdicts as ReadonlyMap<string, FileVerdict>, requests };
}
