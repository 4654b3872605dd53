import { TreeNode } from "../../../core/tree/node.js";
import type { XPath } from "../../../core/tree/xpath/xpath.js";
import { alreadyThere, badXPath, invalidSequence, notUnique, objectMissing } from "../device-messages.js";
import { type Chain, last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { containerOf, xpathOf } from "../tree/place.js";
import { deepCopy, preview } from "../tree/serialise.js";
import { findChild } from "../tree/sibling-index.js";
import { touch } from "../tree/stamp.js";
import { checkWritten } from "../validation/on-write.js";
import type { Edit, EditContext, Effect } from "./edit.js";
import { rewriteReferences } from "./rewrite.js";
import type { WriteChecks } from "./set.js";
import { ensureChain, withUuidsBelow } from "./steps.js";

/** Moves an entry among its siblings: `top`, `bottom`, `up`, `down`, or `before` and `after` the entry named `dst`. */
export function move(edit: Extract<Edit, { action: "move" }>, context: EditContext): Effect {
  const { tree, stamp } = context;
  const chain = only(context, edit.xpath);
  const parents = tree.own(chain.slice(0, -1));
  const node = last(chain);
  const siblings = last(parents).children;
  const from = siblings.indexOf(node);
  tree.reorder([...parents, node], target(edit, siblings, node, from));
  touch(tree, touch(tree, [...parents, node], stamp).slice(0, -1), stamp);
  return { xpath: xpathOf(chain), container: containerOf(chain), before: undefined, after: undefined };
}

function target({ where, dst }: Extract<Edit, { action: "move" }>, siblings: readonly TreeNode[], node: TreeNode, from: number): number {
  switch (where) {
    case "top":
      return 0;
    case "bottom":
      return siblings.length - 1;
    case "up":
    case "down": {
      const to = where === "up" ? from - 1 : from + 1;
      if (to < 0 || to >= siblings.length) throw alreadyThere();
      return to;
    }
    case "before":
    case "after": {
      const anchor = dst === undefined ? undefined : findChild(siblings, node.tag, dst);
      if (anchor === undefined) throw objectMissing();
      if (anchor === node) throw invalidSequence();
      const at = siblings.indexOf(anchor);
      const without = at > from ? at - 1 : at;
      return where === "before" ? without : without + 1;
    }
    default:
      throw invalidSequence();
  }
}

/** Renames an entry; its uuid and position are kept. References are updated only if `renameRewrites` is set. */
export function rename(edit: Extract<Edit, { action: "rename" }>, context: EditContext, checks: WriteChecks): Effect {
  const { tree, stamp, settings } = context;
  const chain = only(context, edit.xpath);
  const node = last(chain);
  const siblings = last(chain.slice(0, -1)).children;
  if (node.name === undefined) throw badXPath();
  if (findChild(siblings, node.tag, edit.newName) !== undefined) throw notUnique(edit.newName);
  const renamed = tree.replace(chain, new TreeNode(node.tag, edit.newName, node.text, node.children, node.attributes));
  if (checks.values) checkWritten(renamed);
  const own = touch(tree, renamed, stamp);
  if (settings.renameRewrites) rewriteReferences(context, chain, edit.newName);
  return { xpath: xpathOf(chain), container: containerOf(chain), before: preview(node), after: preview(last(own)) };
}

/** Copies the entry at `from` into the list at the xpath, under a new name. */
export function clone(edit: Extract<Edit, { action: "clone" }>, context: EditContext, checks: WriteChecks): Effect {
  const { tree, stamp, settings } = context;
  const source = last(only(context, edit.from));
  const list = ensureChain(context, edit.xpath).chain;
  if (findChild(last(list).children, source.tag, edit.newName) !== undefined) throw notUnique(edit.newName);
  const attributes = new Map([...(source.attributes ?? [])].filter(([key]) => key !== "uuid"));
  const copy = new TreeNode(
    source.tag,
    edit.newName,
    source.text,
    source.children.map(deepCopy),
    attributes.size === 0 ? undefined : attributes,
  );
  const chain = tree.insert(list, withUuidsBelow(list, copy, settings.masterKey, stamp.dirtyId));
  if (checks.values) checkWritten(chain);
  const own = touch(tree, chain, stamp);
  touch(tree, own.slice(0, -1), stamp);
  return { xpath: xpathOf(own), container: containerOf(own), before: undefined, after: preview(last(own)) };
}

function only({ tree }: EditContext, xpath: XPath): Chain {
  const [chain, second] = locate(tree.root, xpath);
  if (chain === undefined || chain.length === 1) throw objectMissing();
  if (second !== undefined) throw badXPath();
  return chain;
}
