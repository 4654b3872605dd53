import type { TreeNode } from "../../../core/tree/node.js";
import { groupParents } from "../state/device-groups.js";
import { GLOBAL } from "../tree/place.js";

const GROUP = "device-group:";

/**
 * Visibility between scopes, which are their steps joined with `/`. A scope sees its enclosing scopes, its ancestor groups and `shared`.
 */
export class Visibility {
  readonly #parents: ReadonlyMap<string, string>;

  /** `root` is a configuration. The hierarchy of device groups is read from it. */
  constructor(root: TreeNode) {
    this.#parents = groupParents(root);
  }

  /** Whether definitions in `scope` are visible from the scope of `steps`. */
  sees(steps: readonly string[], scope: string): boolean {
    if (scope === GLOBAL || scope === "") return true;
    const from = steps.join("/");
    if (from === scope || from.startsWith(`${scope}/`) || isOutward(scope, from)) return true;
    return this.#parents.size > 0 && this.#above(steps).some((above) => above === scope || above.startsWith(`${scope}/`));
  }

  /** Returns the scopes of the ancestors of the group in `steps`. */
  #above(steps: readonly string[]): string[] {
    const at = steps.findIndex((step) => step.startsWith(GROUP));
    if (at === -1) return [];
    const found: string[] = [];
    const seen = new Set<string>();
    for (
      let name = this.#parents.get((steps[at] ?? "").slice(GROUP.length));
      name !== undefined && !seen.has(name);
      name = this.#parents.get(name)
    ) {
      seen.add(name);
      found.push([...steps.slice(0, at), `${GROUP}${name}`].join("/"));
    }
    return found;
  }
}

/** Whether `from` is a device and `scope` one of its virtual systems: a device's network sees the objects of its virtual systems. */
function isOutward(scope: string, from: string): boolean {
  return scope.startsWith(`${from}/vsys:`) && !scope.slice(from.length + 1).includes("/");
}
