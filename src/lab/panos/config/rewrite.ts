import { TreeNode } from "../../../core/tree/node.js";
import { visitRoot } from "../references/names.js";
import { type Chain, last } from "../tree/config-tree.js";
import { GLOBAL, placeOf } from "../tree/place.js";
import { findChild } from "../tree/sibling-index.js";
import type { EditContext } from "./edit.js";

/** Updates every reference to the renamed entry. `renamed` is the entry's chain before the rename. */
export function rewriteReferences({ tree }: EditContext, renamed: Chain, newName: string): void {
  const oldName = last(renamed).name;
  const { spot, scopes } = placeOf(renamed.slice(0, -1));
  const kind = spot.list?.kind;
  if (kind === undefined || oldName === undefined) return;
  const scope = scopes.join("/");
  const found: Chain[] = [];
  visitRoot(tree.root, placeOf([tree.root]), {
    definition: () => {},
    reference: ({ kinds, value, scopes: from, chain }) => {
      const key = from.join("/");
      if (value === oldName && kinds.includes(kind) && (scope === GLOBAL || key === scope || key.startsWith(`${scope}/`)))
        found.push(chain);
    },
  });
  for (const chain of found) {
    const parents = tree.own(current(tree.root, chain.slice(0, -1)));
    const node = last(chain);
    const fresh =
      node.tag === "entry"
        ? new TreeNode(node.tag, newName, node.text, node.children, node.attributes)
        : new TreeNode(node.tag, node.name, newName, [], node.attributes);
    const here = findChild(last(parents).children, node.tag, node.name, node.tag === "entry" ? undefined : node.text);
    if (here !== undefined) tree.replace([...parents, here], fresh);
  }
}

/** Returns the current nodes at the position of `chain`: copies may have replaced its nodes. */
function current(root: TreeNode, chain: Chain): Chain {
  const fresh = [root];
  for (const node of chain.slice(1)) {
    const found = findChild(last(fresh).children, node.tag, node.name);
    if (found === undefined) return fresh;
    fresh.push(found);
  }
  return fresh;
}
