import type { TreeNode } from "../../../core/tree/node.js";
import { needsOverride } from "../device-messages.js";
import { type Chain, last } from "../tree/config-tree.js";
import { containerOf, placeOf, xpathOf } from "../tree/place.js";
import { preview } from "../tree/serialise.js";
import { findChild } from "../tree/sibling-index.js";
import { touch } from "../tree/stamp.js";
import { checkBounds } from "../validation/bounds.js";
import { checkWritten } from "../validation/on-write.js";
import type { Edit, EditContext, Effect } from "./edit.js";
import { intake } from "./intake.js";
import { ensureChain, refill, withUuidsBelow } from "./steps.js";

export interface WriteChecks {
  /** Whether set and edit check names and values immediately. */
  readonly values: boolean;
}

/** Merges elements into the node at an xpath: writes leaves, appends members and merges entries. Removes no node. */
export function set(edit: Extract<Edit, { action: "set" }>, context: EditContext, checks: WriteChecks): Effect {
  const { tree, stamp, settings } = context;
  const { chain: target, created } = ensureChain(context, edit.xpath);
  const [only, second] = edit.elements;
  const inherited = target.find(isInherited);
  if (inherited !== undefined) throw needsOverride(inherited.name ?? inherited.tag);
  const former =
    created !== undefined ? undefined : only !== undefined && second === undefined ? counterpart(last(target), only) : last(target);
  const before = former === undefined ? undefined : preview(former);
  const chain = clearText(context, tree.own(target), edit.elements);
  if (created !== undefined) touch(tree, chain.slice(0, created.length), stamp);
  if (checks.values && created !== undefined) checkWritten(chain);
  const place = placeOf(chain);
  for (const element of edit.elements) merge(context, chain, intake(element, place, settings.masterKey), checks);
  if (checks.values) for (const element of edit.elements) checkBounds(chain, element, settings.version);
  const child = only === undefined || second !== undefined ? undefined : counterpart(last(chain), only);
  const changed = child === undefined ? chain : [...chain, child];
  return {
    xpath: xpathOf(changed),
    container: containerOf(changed),
    before,
    after: preview(last(changed)),
  };
}

/** Merges one element. `parents` must be nodes that the tree owns. */
function merge(context: EditContext, parents: Chain, element: TreeNode, checks: WriteChecks): void {
  const { tree, stamp, settings } = context;
  const existing = counterpart(last(parents), element);
  if (existing === undefined) {
    const chain = tree.insert(parents, withUuidsBelow(parents, element, settings.masterKey, stamp.dirtyId));
    if (checks.values) checkWritten(chain);
    touch(tree, chain, stamp);
    touch(tree, parents, stamp);
    return;
  }
  if (isInherited(existing)) throw needsOverride(existing.name ?? existing.tag);
  if (element.children.length > 0) {
    const chain = clearText(context, tree.own([...parents, existing]), element.children);
    for (const child of element.children) merge(context, chain, child, checks);
  } else if (element.text !== "" && element.text !== existing.text) {
    const chain = refill(tree, [...parents, existing], element.text, []);
    if (checks.values) checkWritten(chain);
    touch(tree, chain, stamp);
  }
}

/** Whether a template pushed the node. */
export function isInherited(node: TreeNode): boolean {
  return node.attributes?.get("src") === "tpl" || node.attributes?.has("ptpl") === true;
}

/**
 * Returns the child that an element merges into: the entry with the same name, the member with the same text, or the element with the
 * same tag.
 */
function counterpart(parent: TreeNode, element: TreeNode): TreeNode | undefined {
  if (element.name !== undefined) return findChild(parent.children, element.tag, element.name);
  if (element.tag === "member") return findChild(parent.children, "member", undefined, element.text);
  return findChild(parent.children, element.tag);
}

/** Removes the text of a leaf that gets children. The tree owns the nodes of the given and of the returned chain. */
function clearText({ tree }: EditContext, chain: Chain, children: readonly TreeNode[]): Chain {
  const node = last(chain);
  if (node.text === "" || children.length === 0) return chain;
  return tree.own(refill(tree, chain, "", node.children));
}
