import type { WriteTarget } from "../../../src/engine/write-target.js";

/** A target with other methods in the place of some of its own. */
export function replacing(target: WriteTarget, methods: Partial<WriteTarget>): WriteTarget {
  return new Proxy(target, {
    get(of, key) {
      const value: unknown = Reflect.get(Object.hasOwn(methods, key) ? methods : of, key, of);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
}
