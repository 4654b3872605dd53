import { isDead, parseRun } from "../apply/lock-mark.js";
import type { Machine } from "../pass/process.js";
import type { LeasePlace, SeenLease } from "./lease-place.js";
import type { SeenUnchanged } from "./seen-unchanged.js";

/**
 * Why a lease that nobody gave back is nobody's: its process is gone from this very host, or its run is over there, it has not been renewed for its length,
 * or somebody said so.
 */
export type Over = "dead" | "unchanged" | "told";

interface Judge {
  readonly place: LeasePlace;
  readonly seen: SeenUnchanged;
  readonly target: string;
  readonly machine: Machine;
  readonly takeover: boolean;
}

/**
 * Judges a lease that is held. Its age is told by the clock of the place; where that has none, only by having been seen unchanged
 * for its length on our own clock that never jumps. No two machines' clocks are ever compared.
 */
export async function whyOver({ lease, version }: SeenLease, judge: Judge): Promise<Over | undefined> {
  const { place, seen, target, machine, takeover } = judge;
  if (takeover) return "told";
  const run = parseRun(lease.run);
  if (run !== undefined && (isDead(run, machine) || (await seen.hasEnded(lease.run)))) return "dead";
  const now = await place.clock();
  const age = now === undefined || lease.at === undefined ? await seen.for(`${target} ${lease.run}`, version) : now - lease.at;
  return age >= lease.freeAfter ? "unchanged" : undefined;
}
