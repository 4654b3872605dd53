import { last } from "../tree/config-tree.js";
import { xpathOf } from "../tree/place.js";
import type { Edit, EditContext, Effect } from "./edit.js";
import { clone, move, rename } from "./relocate.js";
import { remove } from "./remove.js";
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
