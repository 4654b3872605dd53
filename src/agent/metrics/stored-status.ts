import { rememberedPass } from "../page/fleet-row.js";
import { type RolloutStatus, waitingIn } from "../rollouts.js";
import type { Store } from "../store/store.js";

/** The status of one target, as the store records it. */
export interface TargetStatus {
  /** When the newest pass that reached the target ended, in milliseconds since 1970. Undefined: never. */
  readonly reached: number | undefined;
  /** The process (`runnerName`) that ran the newest pass which was not skipped. */
  readonly runner: string | undefined;
  readonly isInSync: boolean;
  readonly drifts: number;
  /** When the oldest open drift was first seen. */
  readonly oldest: number | undefined;
  /** Changes that wait for their commit; undefined if the newest pass does not tell. */
  readonly pending: number | undefined;
}

export interface StoredStatus {
  readonly targets: ReadonlyMap<string, TargetStatus>;
  /** Why targets are on hold. Undefined if the store has one agent, which knows it itself. */
  readonly held: ReadonlyMap<string, string> | undefined;
}

type StatusStore = Pick<Store, "drift"> & {
  readonly passes: Pick<Store["passes"], "latest" | "latestFull" | "lastReached">;
  readonly shared: { readonly leases: Pick<NonNullable<Store["shared"]>["leases"], "held"> } | undefined;
};

/** Reads the status of all targets. A target that waits for a later wave of a roll-out is not in sync. Every agent of a shared store gets the same answer. */
export function statusReader({ passes, drift, shared }: StatusStore): (rollout: RolloutStatus | undefined) => Promise<StoredStatus> {
  // A target that fails for weeks has thousands of failed passes: the search behind them runs once.
  let reachedBefore: ReadonlyMap<string, number> | undefined;
  const reached = new Map<string, number>();
  return async (rollout) => {
    const isWaiting = waitingIn(rollout);
    reachedBefore ??= await passes.lastReached();
    const [latest, full, totals, held] = await Promise.all([passes.latest(), passes.latestFull(), drift.totals(), shared?.leases.held()]);
    for (const { target = "", outcome, ended, at } of latest)
      if (outcome !== "failed" && outcome !== "interrupted") reached.set(target, ended ?? at);
    const fullByTarget = new Map(full.map((pass) => [pass.entry.target ?? "", pass]));
    const targets = new Map<string, TargetStatus>();
    for (const { target = "" } of latest) {
      const pass = fullByTarget.get(target);
      const total = totals.get(target);
      const { isEqual, pending } = rememberedPass(pass?.entry);
      targets.set(target, {
        reached: reached.get(target) ?? reachedBefore.get(target),
        runner: pass?.runner,
        isInSync: isEqual && total === undefined && !isWaiting(target, pass?.entry.detail.commit),
        drifts: total?.count ?? 0,
        oldest: total?.oldest,
        pending,
      });
    }
    return { targets, held };
  };
}
