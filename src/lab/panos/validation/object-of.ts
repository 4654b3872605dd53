import type { TreeNode } from "../../../core/tree/node.js";
import { type Chain, last } from "../tree/config-tree.js";
import { placeOf } from "../tree/place.js";
import { OBJECT_RULES, type ObjectRule } from "./objects.js";

/** An entry with an object rule, at index `depth` of a chain. */
export interface RuledObject {
  readonly rule: ObjectRule;
  readonly depth: number;
}

/** Returns the innermost entry of a chain that has an object rule. `outer` is a result for a prefix of the chain. */
export function objectAround(chain: Chain, outer?: RuledObject): RuledObject | undefined {
  for (let depth = chain.length - 1; depth > (outer?.depth ?? 1); depth--) {
    const key = chain[depth]?.tag === "entry" ? ruleKey(chain.slice(0, depth)) : undefined;
    const rule = key === undefined ? undefined : OBJECT_RULES[key];
    if (rule !== undefined) return { rule, depth };
    if (outer !== undefined) return undefined;
  }
  return undefined;
}

/** Returns the key in `OBJECT_RULES` for the entries of a list. */
export function ruleKey(list: Chain): string | undefined {
  const node = last(list);
  const above = list[list.length - 2];
  if (node.tag === "rules" && above !== undefined && isRulebase(list[list.length - 3])) return `${above.tag} rules`;
  return placeOf(list).spot.list?.kind;
}

function isRulebase(node: TreeNode | undefined): boolean {
  return node?.tag.endsWith("rulebase") === true;
}

/** Returns the tags below the node at `depth` of a chain, without `entry`. */
export function tagsBelow(chain: Chain, depth: number): string {
  return chain
    .slice(depth + 1)
    .map((node) => node.tag)
    .filter((tag) => tag !== "entry")
    .join("/");
}
