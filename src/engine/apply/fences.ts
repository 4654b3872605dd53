import { isLeaseLost, underLease, type WriteLease } from "../../core/write-lease.js";
import type { Fence } from "../fence.js";
import type { RunLease } from "../lease/run-lease.js";

/** Looks at the lease before each write, and before each request of one. `onLoss` is told when a write did not happen. */
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

/** What is to be held at each write: the lease of an agent's visit, and that of this run. */
export function heldTogether(visit: WriteLease | undefined, run: RunLease): WriteLease {
  if (visit === undefined) return run;
  return {
    fence: visit.fence,
    tookOver: visit.tookOver,
    mayWrite() {
      visit.mayWrite();
      run.mayWrite();
    },
  };
}

/** The same for a run that keeps its own lease alive by what it does. */
export function keepingFence(run: RunLease, fence: Fence): Fence {
  return {
    async run(write) {
      await run.keep();
      return await fence.run(write);
    },
  };
}

/** Of a run that shares its targets with no other agent: there is no lease that it could lose. */
export const unshared: Fence = { run: (write) => write() };
