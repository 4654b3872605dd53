import { AsyncLocalStorage } from "node:async_hooks";
import { PlumblineError } from "./errors.js";

/** The right to write to a target, for as long as it is renewed. */
export interface WriteLease {
  /** Grows each time that the right changes hands. */
  readonly fence: number;
  /** A holder before did not give it back: its last request may still come, or have come since. */
  readonly tookOver?: boolean | undefined;
  /** @throws PlumblineError `lease-lost` once the right may have gone to somebody else. */
  mayWrite(): void;
}

const current = new AsyncLocalStorage<WriteLease>();

/** Every exchange with a target that `work` makes is made only while the lease is held. */
export function underLease<T>(lease: WriteLease, work: () => Promise<T>): Promise<T> {
  return current.run(lease, async () => {
    lease.mayWrite();
    return await work();
  });
}

/** Called right before each request. */
export function expectLease(): void {
  current.getStore()?.mayWrite();
}

/** Whether what is asked now is part of a write that needs a lease. */
export function isUnderLease(): boolean {
  return current.getStore() !== undefined;
}

export function leaseLost(target: string): PlumblineError {
  return new PlumblineError("lease-lost", "This run no longer holds the lease of the target, so it writes no more", {
    where: { target },
    next: "Nothing: whoever holds it now goes on from what stands.",
  });
}

export function isLeaseLost(error: unknown): boolean {
  return error instanceof PlumblineError && error.code === "lease-lost";
}
