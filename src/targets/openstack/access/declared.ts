import { find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { DesiredNode } from "../../../desired/model.js";

/** Returns why documents cannot change a node, as a sentence. Undefined if they can. */
export function whyFixed(declared: TreeNode, at: Path, what: string): string | undefined {
  if (find(declared, at) === undefined) return `No document declares ${what}.`;
  for (let path: Path | undefined = at; path !== undefined && path.depth > 0; path = path.parent) {
    const node = find(declared, path);
    const madeBy = node instanceof DesiredNode && path.name !== undefined ? node.handling?.madeBy : undefined;
    if (madeBy !== undefined) return `${what} is created by ${madeBy}, so its document cannot change it alone.`;
  }
  return undefined;
}
