import { isLeaseLost, underLease, type WriteLease } from "../../core/write-lease.js";
import type { Fence } from "../fence.js";

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

/** Of a run that shares its targets with no other agent: there is no lease that it could lose. */
export const unshared: Fence = { run: (write) => write() };
