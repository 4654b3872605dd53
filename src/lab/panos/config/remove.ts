import { objectMissing } from "../device-messages.js";
import { last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { containerOf, xpathOf } from "../tree/place.js";
import { preview } from "../tree/serialise.js";
import { touch } from "../tree/stamp.js";
import type { Edit, EditContext, Effect } from "./edit.js";

/** Removes every node that an xpath selects. */
export function remove(edit: Extract<Edit, { action: "delete" }>, context: EditContext): Effect {
  const { tree, stamp, settings } = context;
  const chains = locate(tree.root, edit.xpath);
  const [first] = chains;
  if (first === undefined) {
    const isTold = settings.deleteMissing === "refused";
    if (isTold && edit.mayBeGone !== true) throw objectMissing();
    return { xpath: edit.xpath.text, container: edit.xpath.text, before: undefined, after: undefined, wasGone: isTold };
  }
  if (first.length === 1) throw objectMissing();
  const before = preview(last(first));
  for (const chain of chains) touch(tree, tree.remove(chain), stamp);
  return { xpath: xpathOf(first), container: containerOf(first), before, after: undefined };
}
