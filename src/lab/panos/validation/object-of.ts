import type { TreeNode } from "../../../core/tree/node.js";
import { type Chain, last } from "../tree/config-tree.js";
import { placeOf } from "../tree/place.js";
import { OBJECT_RULES, type ObjectRule } from "./objects.js";

/** An entry with rules of its own, at this index of a chain. */
export interface RuledObject {
  readonly rule: ObjectRule;
  readonly depth: number;
}

/** The innermost entry with rules on a chain; `outer` is one that is known already. */
export function objectAround(chain: Chain, outer?: RuledObject): RuledObject | undefined {
  for (let depth = chain.length - 1; depth > (outer?.depth ?? 1); depth--) {
    const key = chain[depth]?.tag === "entry" ? ruleKey(chain.slice(0, depth)) : undefined;
    const rule = key === undefined ? undefined : OBJECT_RULES[key];
    if (rule !== undefined) return { rule, depth };
    if (outer !== undefined) return undefined;
  }
  return undefined;
}

/** The key of `OBJECT_RULES` for the entries of the list that a chain leads to. */
export function ruleKey(list: Chain): string | undefined {
  const node = last(list);
  const above = list[list.length - 2];
  if (node.tag === "rules" && above !== undefined && isRulebase(list[list.length - 3])) return `${above.tag} rules`;
  const { shape } = placeOf(list);
  return shape.kind === "list" ? shape.defines : undefined;
}

function isRulebase(node: TreeNode | undefined): boolean {
  return node?.tag.endsWith("rulebase") === true;
}

/** Tags below the node at `depth` of a chain, entries left out. */
export function tagsBelow(chain: Chain, depth: number): string {
  return chain
    .slice(depth + 1)
    .map((node) => node.tag)
    .filter((tag) => tag !== "entry")
    .join("/");
}
