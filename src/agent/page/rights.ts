import { compileGlob } from "../../core/glob.js";
import { PAGE_ROLES, type PageRole, type RightSettings } from "../../desired/configuration/page-settings.js";

interface Grant {
  readonly roles: ReadonlySet<PageRole>;
  /** Undefined: every target, also those to come. */
  readonly covers: ((target: string) => boolean) | undefined;
}

/** What one person may do. Whoever may do anything to a target may read it. */
export class Access {
  readonly #grants: readonly Grant[];

  constructor(grants: readonly Grant[]) {
    this.#grants = grants;
  }

  may(role: PageRole, target: string): boolean {
    return this.#grants.some(({ roles, covers }) => (role === "read" || roles.has(role)) && covers?.(target) !== false);
  }

  /** On every target, also those to come. */
  mayEverywhere(role: PageRole): boolean {
    return this.#grants.some(({ roles, covers }) => (role === "read" || roles.has(role)) && covers === undefined);
  }

  /** There is something to see. */
  get isAny(): boolean {
    return this.#grants.length > 0;
  }
}

/** Everything, everywhere. */
export const ALL_RIGHTS: Omit<RightSettings, "targets"> = { roles: PAGE_ROLES };

/** Rights one beside the other. @throws GlobError for a pattern of targets that cannot be one. */
export function accessOf(rights: readonly RightSettings[]): Access {
  return new Access(
    rights.map(({ roles, targets }) => {
      const matchers = targets?.map(compileGlob);
      return { roles: new Set(roles), covers: matchers && ((target: string) => matchers.some((matches) => matches(target))) };
    }),
  );
}
