import { AsyncLocalStorage } from "node:async_hooks";
import { PlumblineError } from "./errors.js";

/** The right to write to a target, while it is renewed. */
export interface WriteLease {
  /** Increases each time that another run gets the right. */
  readonly fence: number;
  /** A previous holder did not release it. Its last request may still be executed. */
  readonly tookOver?: boolean | undefined;
  /** @throws PlumblineError `lease-lost` if another run may have the right now. */
  mayWrite(): void;
  /** Reads the lease again if the last read was some time ago. @throws PlumblineError `lease-lost` */
  verify?(): Promise<void>;
}

const current = new AsyncLocalStorage<WriteLease>();

/** Runs `work`. Every exchange with a target in it requires the lease. */
export function underLease<T>(lease: WriteLease, work: () => Promise<T>): Promise<T> {
  return current.run(lease, async () => {
    lease.mayWrite();
    return await work();
  });
}

/** Throws if the lease of the current work is lost. Called right before each request. */
export function expectLease(): void {
  current.getStore()?.mayWrite();
}

/** Verifies the lease of the current work. Called before each request that writes. */
export async function verifyLease(): Promise<void> {
  await current.getStore()?.verify?.();
}

/** Returns true if the current work is a write that needs a lease. */
export function isUnderLease(): boolean {
  return current.getStore() !== undefined;
}

export function leaseLost(target: string): PlumblineError {
  return new PlumblineError("lease-lost", "This run no longer holds the lease of the target, so it stops writing", {
    where: { target },
    next: "Nothing to do. The current holder continues.",
  });
}

export function isLeaseLost(error: unknown): boolean {
  return error instanceof PlumblineError && error.code === "lease-lost";
}
