import { shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Shape } from "../../../core/tree/shape.js";

import type { NameScope } from "../policy/name-scopes.js";
import { panosShape } from "../shape.js";
import type { Projected } from "./projection.js";

/** Returns a function that finds out whether the rules refer to an object, directly or through other objects. Disabled rules count too. */
export function namedIn(
  places: readonly NameScope[],
  objects: ReadonlyMap<string, ReadonlyMap<string, Projected>>,
): (list: string, name: string) => boolean {
  const [own] = places;
  const shape = own === undefined ? panosShape() : shapeAt(own.path, panosShape());
  const lists = new Map([...objects.keys()].map((list) => [list, list.split("/").reduce((at, tag) => at.child(tag), shape)]));
  const used = new Set<string>();
  const open: (readonly [node: TreeNode, shape: Shape])[] = places.flatMap(({ node }) =>
    node.children
      .filter(({ tag }) => /^(?:pre|post)-rulebase$/.test(tag))
      .map((rulebase) => [rulebase, shape.child(rulebase.tag)] as const),
  );
  const use = (kinds: readonly string[], name: string) => {
    for (const [list, shape] of lists) {
      const { defines } = shape;
      const one = defines !== undefined && kinds.includes(defines) ? objects.get(list)?.get(name) : undefined;
      if (one === undefined || used.has(`${list} ${name}`)) continue;
      used.add(`${list} ${name}`);
      open.push([one.node, shape.child("entry")]);
    }
  };
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [node, below] = at;
    if (below.references.length > 0) {
      if (node.children.length === 0) use(below.references, node.text);
      else for (const { text } of node.children) use(below.references, text);
    }
    for (const child of node.children) if (child.children.length > 0 || child.tag !== "member") open.push([child, below.child(child.tag)]);
  }
  return (list, name) => used.has(`${list} ${name}`);
}
