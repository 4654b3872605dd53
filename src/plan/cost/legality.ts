import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import { counterpart } from "../counterpart.js";
import { holdsInherited, holdsSecret, isInherited } from "../diff/inherited.js";
import { liveEntry } from "./payload.js";

/**
 * Returns whether one `edit` may replace `live` by `desired`. The node must be completely owned and completely read, without ignored,
 * unmanaged, inherited, kept, stored or `$partial` parts (docs/contributing/plan.md#legality). Returns false after `budget` desired nodes: a larger edit
 * costs more than it saves.
 */
export function isReplaceable(
  desired: DesiredNode,
  live: TreeNode,
  shape: Shape,
  { rewriteLists, isOverridden, budget }: { readonly rewriteLists: boolean; readonly isOverridden: boolean; readonly budget: number },
): boolean {
  if (isList(desired, live, shape) && !rewriteLists) return false;
  return new Walk(budget).isWhole(desired, live, shape, isOverridden);
}

/** Returns whether the node is a list of named entries. */
function isList(desired: DesiredNode, live: TreeNode, shape: Shape): boolean {
  return shape.kind === "list" || desired.children[0]?.name !== undefined || live.children[0]?.name !== undefined;
}

class Walk {
  #left: number;

  constructor(budget: number) {
    this.#left = budget;
  }

  isWhole(desired: DesiredNode, live: TreeNode | undefined, shape: Shape, overrides: boolean): boolean {
    this.#left -= 1;
    if (this.#left < 0 || !this.#isManaged(desired)) return false;
    const isOverridden = overrides || desired.handling?.override === true;
    if (live !== undefined && (live instanceof SecretLeaf || (isInherited(live) && !isOverridden))) return false;
    const { children } = desired;
    const isLeaf = desired.name === undefined && children.length + (live?.children.length ?? 0) === 0;
    if (!isLeaf && !desired.prunes) return false;
    let paired = 0;
    for (const child of children) {
      const known = live === undefined ? undefined : child.name === undefined ? counterpart(live, child) : liveEntry(live, child);
      if (known !== undefined) paired += 1;
      if (!this.isWhole(child, known, shape.child(child.tag), isOverridden)) return false;
    }
    return live === undefined || paired === live.children.length || !live.children.some((child) => isUnmanaged(child, desired, shape));
  }

  #isManaged({ declared, handling }: DesiredNode): boolean {
    if (!declared) return false;
    if (handling === undefined) return true;
    const { ignored, keep, secret, unresolved, exclude } = handling;
    return ignored !== true && keep !== true && secret === undefined && unresolved === undefined && exclude === undefined;
  }
}

/**
 * Returns whether an edit must not remove an undeclared node of a `prunes` node: an inherited node, one from the platform, or one with a
 * stored secret.
 */
function isUnmanaged(live: TreeNode, parent: DesiredNode, shape: Shape): boolean {
  if (counterpart(parent, live) !== undefined) return false;
  return shape.child(live.tag).computed === true || holdsInherited(live) || holdsSecret(live);
}
