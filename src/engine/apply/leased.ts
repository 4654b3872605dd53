import { isLeaseLost, underLease, type WriteLease } from "../../core/write-lease.js";
import type { WriteTarget } from "../target.js";

const WRITES = [
  "write",
  "commit",
  "validate",
  "snapshot",
  "revert",
  "lock",
  "unlock",
  "breakLock",
] as const satisfies readonly (keyof WriteTarget)[];
const ALL: ReadonlySet<unknown> = new Set(WRITES);

/**
 * The target, of which nothing is changed unless the lease is held: looked at before each request of a write, be it one
 * or many. `onLoss` is told when a write did not happen.
 */
export function leased(target: WriteTarget, lease: WriteLease, onLoss: () => void): WriteTarget {
  return new Proxy(target, {
    get(whole, name) {
      const value: unknown = Reflect.get(whole, name, whole);
      if (typeof value !== "function") return value;
      if (!ALL.has(name)) return value.bind(whole);
      return async (...values: unknown[]) => {
        try {
          return await underLease(lease, () => Reflect.apply(value, whole, values) as Promise<unknown>);
        } catch (error) {
          if (isLeaseLost(error)) onLoss();
          throw error;
        }
      };
    },
    set(whole, name, value) {
      return Reflect.set(whole, name, value, whole);
    },
  });
}
