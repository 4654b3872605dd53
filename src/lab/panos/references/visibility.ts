import type { TreeNode } from "../../../core/tree/node.js";
import { groupParents } from "../state/device-groups.js";
import { GLOBAL } from "../tree/place.js";

const GROUP = "device-group:";

/** Which scopes see which, by their steps joined with `/`: those around, groups above, `shared` from everywhere. */
export class Visibility {
  readonly #parents: ReadonlyMap<string, string>;

  /** `root` is a configuration: its manager's groups stand in it. */
  constructor(root: TreeNode) {
    this.#parents = groupParents(root);
  }

  /** Whether what is defined in `scope` is seen from the scope of `steps`. */
  sees(steps: readonly string[], scope: string): boolean {
    if (scope === GLOBAL || scope === "") return true;
    const from = steps.join("/");
    if (from === scope || from.startsWith(`${scope}/`) || isOutward(scope, from)) return true;
    return this.#parents.size > 0 && this.#above(steps).some((above) => above === scope || above.startsWith(`${scope}/`));
  }

  /** The scopes of the groups above the one that `steps` lead through. */
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

/** The network of a device sees the objects of its virtual systems. */
function isOutward(scope: string, from: string): boolean {
  return scope.startsWith(`${from}/vsys:`) && !scope.slice(from.length + 1).includes("/");
}
