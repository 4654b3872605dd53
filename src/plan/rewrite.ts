import { find, pathOf } from "../tree/lookup.js";
import type { TreeNode } from "../tree/node.js";
import type { Path } from "../tree/path.js";
import { counterpart } from "./counterpart.js";
import type { Fragment } from "./fragment.js";
import type { Operation } from "./operation.js";
import { operationBytes, type PackLimits, roomOf } from "./pack.js";

/** Turns each `edit` that is larger than a request into a `set` of what is wanted and deletes of what is not. */
export function rewriteOversizeEdits(fragments: readonly Fragment[], live: TreeNode, limits: PackLimits): Fragment[] {
  return fragments.flatMap((fragment) => {
    const { operation } = fragment;
    if (operation.action !== "edit" || operation.at.parent === undefined || operationBytes(operation) <= roomOf(limits)) return [fragment];
    const before = find(live, operation.at);
    if (before === undefined) return [fragment];
    const set: Operation = { action: "set", at: operation.at.parent, element: operation.element };
    const deletes: Operation[] = surplus(before, operation.element, operation.at).map((at) => ({ action: "delete", at }));
    return [set, ...deletes].map((each) => ({ ...fragment, operation: each }));
  });
}

/** Paths of the highest nodes that are live and not wanted. */
function surplus(live: TreeNode, wanted: TreeNode, path: Path): Path[] {
  const paths: Path[] = [];
  for (const child of live.children) {
    const other = counterpart(wanted, child);
    const at = pathOf(path, child);
    if (other === undefined) paths.push(at);
    else paths.push(...surplus(child, other, at));
  }
  return paths;
}
