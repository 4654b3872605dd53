import { isDead, parseRun } from "../apply/lock-mark.js";
import type { Machine } from "../pass/machine.js";
import type { LeasePlace, SeenLease } from "./lease-place.js";
import type { UnchangedSince } from "./unchanged-since.js";

/**
 * Reason to take over a held lease: its process on this host is gone or has ended, the lease was not renewed for its length, or the user
 * passed `--takeover`.
 */
export type TakeoverReason = "dead" | "unchanged" | "told";

interface Judge {
  readonly place: LeasePlace;
  readonly seen: UnchangedSince;
  readonly target: string;
  readonly machine: Machine;
  readonly takeover: boolean;
}

/**
 * Judges a held lease. Its age comes from the clock of the store. Without such a clock, the lease must be seen unchanged for its length by
 * our monotonic clock. The clocks of two machines are never compared.
 */
export async function takeoverReason({ lease, version }: SeenLease, judge: Judge): Promise<TakeoverReason | undefined> {
  const { place, seen, target, machine, takeover } = judge;
  if (takeover) return "told";
  const run = parseRun(lease.run);
  if (run !== undefined && (isDead(run, machine) || (await seen.hasEnded(lease.run)))) return "dead";
  const now = await place.clock();
  const age = now === undefined || lease.at === undefined ? await seen.for(`${target} ${lease.run}`, version) : now - lease.at;
  return age >= lease.freeAfter ? "unchanged" : undefined;
}
