import { unshared } from "../../src/engine/apply/fences.js";
import type { PendingAndLocks } from "../../src/engine/target.js";
import type { Builds, Commits, Locks, Snapshots, Writes, WriteTarget } from "../../src/engine/write-target.js";

export type HandsOn<T extends WriteTarget> = T & PendingAndLocks & Writes & Builds & Locks & Commits & Snapshots;

/** All roles of a target together, as in a run without a lease, for tests of single calls. Missing roles have no calls. */
export function handsOn<T extends WriteTarget>(target: T): HandsOn<T> {
  const writer = (target as WriteTarget).writer.behind(unshared);
  const all = [target, target.pendingAndLocks, writer, writer.locks, writer.commits, writer.snapshots, writer.builds];
  const parts = all.filter((part) => part !== undefined);
  return new Proxy(target, {
    get(_, name) {
      const part = parts.find((each) => name in each);
      const value: unknown = part === undefined ? undefined : Reflect.get(part, name, part);
      return typeof value === "function" ? value.bind(part) : value;
    },
  }) as HandsOn<T>;
}
