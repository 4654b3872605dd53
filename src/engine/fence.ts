/** Looked at before each write: runs it, or refuses to. Made in `apply/fences.ts`. */
export interface Fence {
  run<T>(write: () => Promise<T>): Promise<T>;
}

type Call = (...values: never[]) => Promise<unknown>;

/** Types that a fence can wrap: async calls, and objects of them. */
export type Fenceable<Role> = {
  readonly [Name in keyof Role]: Role[Name] extends Call | undefined
    ? Role[Name]
    : Role[Name] extends ((...values: never[]) => unknown) | undefined
      ? never
      : Fenceable<Role[Name]>;
};

declare const fenced: unique symbol;

/** A role whose calls all go through a fence. Only `Unfenced.behind` creates one. */
export type Fenced<Role> = Role extends Call
  ? Role
  : Role extends object
    ? { readonly [Name in keyof Role]: Fenced<Role[Name]> } & { readonly [fenced]: true }
    : Role;

/**
 * A role that changes a platform, as its target provides it. It has no calls: a caller can only put it behind a fence. This includes calls
 * that are added to the role later.
 */
export class Unfenced<Role extends Fenceable<Role> & object> {
  readonly #role: Role;

  constructor(role: Role) {
    this.#role = role;
  }

  behind(fence: Fence): Fenced<Role> {
    return behind(this.#role, fence) as Fenced<Role>;
  }
}

function behind(role: object, fence: Fence): object {
  return new Proxy(role, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === "function") return (...values: unknown[]) => fence.run(() => Reflect.apply(value, target, values));
      return typeof value === "object" && value !== null ? behind(value, fence) : value;
    },
  });
}
