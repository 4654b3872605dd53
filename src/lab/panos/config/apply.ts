import { objectMissing } from "../device-messages.js";
import { last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { containerOf, xpathOf } from "../tree/place.js";
import { preview } from "../tree/serialise.js";
import { touch } from "../tree/stamp.js";
import type { Edit, EditContext, Effect } from "./edit.js";
import { clone, move, rename } from "./relocate.js";
import { override, replace } from "./replace.js";
import { set, type WriteChecks } from "./set.js";

/** Applies one edit to a tree. Throws `DeviceError`; callers run it in a transaction of the tree. */
export function applyEdit(edit: Edit, context: EditContext, checks: WriteChecks): Effect {
  switch (edit.action) {
    case "set":
      return set(edit, context, checks);
    case "edit":
      return replace(edit, context, checks);
    case "delete":
      return remove(edit, context);
    case "move":
      return move(edit, context);
    case "rename":
      return rename(edit, context, checks);
    case "clone":
      return clone(edit, context, checks);
    case "override":
      return override(edit, context, checks);
    case "load": {
      context.tree.replaceRoot(edit.root);
      const xpath = xpathOf([last([edit.root])]);
      return { xpath, container: xpath, before: undefined, after: undefined };
    }
  }
}

/** Removes every node that an xpath selects. */
function remove(edit: Extract<Edit, { action: "delete" }>, context: EditContext): Effect {
  const { tree, stamp, settings } = context;
  const chains = locate(tree.root, edit.xpath);
  const [first] = chains;
  if (first === undefined) {
    const isRefused = settings.deleteMissing === "refused";
    if (isRefused && edit.mayBeMissing !== true) throw objectMissing();
    return { xpath: edit.xpath.text, container: edit.xpath.text, before: undefined, after: undefined, wasMissing: isRefused };
  }
  if (first.length === 1) throw objectMissing();
  const before = preview(last(first));
  for (const chain of chains) touch(tree, tree.remove(chain), stamp);
  return { xpath: xpathOf(first), container: containerOf(first), before, after: undefined };
}
