import { isLeaseLost, underLease, type WriteLease } from "../../core/write-lease.js";
import type { Fence } from "../fence.js";
import type { RunLease } from "../lease/run-lease.js";

/**
 * Checks the lease before each write and before each request of a write. Calls `onLoss` if the lease was lost and the write did not happen.
 */
export function leaseFence(lease: WriteLease, onLoss: () => void): Fence {
  return {
    async run(write) {
      try {
        return await underLease(lease, write);
      } catch (error) {
        if (isLeaseLost(error)) onLoss();
        throw error;
      }
    },
  };
}

/** Combines the leases that each write requires: the lease of the agent's visit and the lease of this run. */
export function heldTogether(visit: WriteLease | undefined, run: RunLease): WriteLease {
  if (visit === undefined) return run;
  return {
    fence: visit.fence,
    tookOver: visit.tookOver,
    mayWrite() {
      visit.mayWrite();
      run.mayWrite();
    },
    verify: () => run.verify(),
  };
}

/** Renews the lease of the run before each write. */
export function keepingFence(run: RunLease, fence: Fence): Fence {
  return {
    async run(write) {
      await run.keep();
      return await fence.run(write);
    },
  };
}

/** For a run that shares its targets with no other agent: there is no lease to lose. */
export const unshared: Fence = { run: (write) => write() };
