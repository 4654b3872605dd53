import { compileGlob } from "../core/glob.js";
import { PAGE_ROLES } from "../desired/configuration/page-schema.js";
import type { PageRole, RightSettings } from "../desired/configuration/page-settings.js";

interface Grant {
  readonly roles: ReadonlySet<PageRole>;
  /** Undefined: every target, also future ones. */
  readonly covers: ((target: string) => boolean) | undefined;
}

/** The rights of one person. Every role for a target includes the right to read it. */
export class Access {
  readonly #grants: readonly Grant[];

  constructor(grants: readonly Grant[]) {
    this.#grants = grants;
  }

  may(role: PageRole, target: string): boolean {
    return this.#grants.some(({ roles, covers }) => (role === "read" || roles.has(role)) && covers?.(target) !== false);
  }

  /** Returns whether the role covers every target, also future ones. */
  mayEverywhere(role: PageRole): boolean {
    return this.#grants.some(({ roles, covers }) => (role === "read" || roles.has(role)) && covers === undefined);
  }

  /** Returns whether the person has any right. */
  get isAny(): boolean {
    return this.#grants.length > 0;
  }
}

/** Everything, everywhere. */
export const ALL_RIGHTS: Omit<RightSettings, "targets"> = { roles: PAGE_ROLES };

/** Combines rights. @throws GlobError for an invalid pattern of targets */
export function accessOf(rights: readonly RightSettings[]): Access {
  return new Access(
    rights.map(({ roles, targets }) => {
      const matchers = targets?.map(compileGlob);
      return { roles: new Set(roles), covers: matchers && ((target: string) => matchers.some((matches) => matches(target))) };
    }),
  );
}
