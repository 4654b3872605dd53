import type { Fence, Fenced } from "../../../src/engine/fence.js";
import { Unfenced } from "../../../src/engine/fence.js";
import type { ReadTarget } from "../../../src/engine/target.js";
import type { Writer, WriteTarget } from "../../../src/engine/write-target.js";

/** The target with another writer, built from the parts of the original one. */
export function rewired(target: WriteTarget, rewire: (writer: Fenced<Writer>) => Writer, fence: Fence = open): WriteTarget {
  const writer = new Unfenced<Writer>(rewire(target.writer.behind(fence)));
  return new Proxy(target, { get: (real, key) => (key === "writer" ? writer : bound(real, key)) });
}

/** The target, of which every call but `close` is made after `look`, which may throw. */
export function lookedAt(target: WriteTarget, look: () => void): WriteTarget {
  const looking = async (work: () => unknown) => {
    look();
    return await work();
  };
  const guarded = <T extends object>(role: T): T =>
    new Proxy(role, {
      get: (real, key) => {
        const value = bound(real, key);
        return typeof value === "function" && key !== "close" ? (...rest: unknown[]) => looking(() => value(...rest)) : value;
      },
    });
  const fence: Fence = {
    run: async (write) => {
      look();
      return await write();
    },
  };
  const roles: readonly (keyof ReadTarget)[] = ["who", "pendingAndLocks", "logs", "hiding", "images", "digests"];
  const calls = guarded(rewired(target, (writer) => writer, fence));
  return new Proxy(calls, {
    get: (real, key) => {
      const value: unknown = Reflect.get(real, key, real);
      return typeof value === "object" && value !== null && roles.some((role) => role === key) ? guarded(value) : value;
    },
  });
}

const open: Fence = { run: (write) => write() };

function bound(real: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(real, key, real);
  return typeof value === "function" ? value.bind(real) : value;
}
