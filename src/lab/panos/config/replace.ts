import { TreeNode } from "../../../core/tree/node.js";
import type { XPath } from "../../../core/tree/xpath/xpath.js";
import { badXPath, breaksValidity, notOverridable, objectMissing } from "../device-messages.js";
import { type Chain, last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { containerOf, placeOf, xpathOf } from "../tree/place.js";
import { preview } from "../tree/serialise.js";
import { touch } from "../tree/stamp.js";
import { checkBounds } from "../validation/bounds.js";
import { checkWritten } from "../validation/on-write.js";
import type { Edit, EditContext, Effect } from "./edit.js";
import { intake } from "./intake.js";
import { isInherited, type WriteChecks } from "./set.js";
import { ensureChain, withUuidsBelow } from "./steps.js";

/**
 * Replaces or creates the node at an xpath. The element's tag and name must equal those in the last step. The text of a member may
 * change.
 */
export function replace(edit: Extract<Edit, { action: "edit" }>, context: EditContext, checks: WriteChecks): Effect {
  const { tree, stamp, settings } = context;
  const { element, xpath } = edit;
  checkLastStep(xpath, element);
  const found = locate(tree.root, xpath);
  if (found.length > 1) throw badXPath();
  const target = found[0] ?? missing(context, xpath);
  const former = found[0] === undefined ? undefined : last(target);
  const before = former === undefined ? undefined : preview(former);
  const parents = target.slice(0, -1);
  const made = intake(element, placeOf(parents), settings.masterKey);
  const node = withUuidsBelow(parents, keepUuids(former, made), settings.masterKey, stamp.dirtyId);
  const chain = tree.replace(target, node);
  if (checks.values) checkWritten(chain);
  if (checks.values) checkBounds(chain.slice(0, -1), node, settings.version);
  const own = touch(tree, chain, stamp);
  return { xpath: xpathOf(own), container: containerOf(own), before, after: preview(last(own)) };
}

/** Copies a template's entry into the device's own configuration. The xpath selects the list; the element is the complete entry. */
export function override(edit: Extract<Edit, { action: "override" }>, context: EditContext, checks: WriteChecks): Effect {
  const { tree } = context;
  const [list] = locate(tree.root, edit.xpath);
  const inherited =
    list === undefined ? undefined : last(list).children.find((child) => child.name === edit.element.name && isInherited(child));
  if (list === undefined || inherited === undefined) throw notOverridable();
  const chain = tree.replace([...list, inherited], intake(edit.element, placeOf(list), context.settings.masterKey));
  if (checks.values) checkWritten(chain);
  const own = touch(tree, chain, context.stamp);
  return { xpath: xpathOf(own), container: containerOf(own), before: preview(inherited), after: preview(last(own)) };
}

function checkLastStep(xpath: XPath, element: TreeNode): void {
  const step = xpath.steps.at(-1);
  const [predicate] = step?.predicates ?? [];
  if (step === undefined || (step.tag !== undefined && step.tag !== element.tag)) throw breaksValidity();
  if (predicate?.kind === "attribute" && predicate.name === "name" && predicate.value !== element.name) throw breaksValidity();
}

/** An edit of a member selects an existing value, so a missing member is an error. Other missing nodes are created. */
function missing(context: EditContext, xpath: XPath): Chain {
  const kind = xpath.steps.at(-1)?.predicates[0]?.kind;
  if (kind !== undefined && kind !== "attribute") throw objectMissing();
  return ensureChain(context, xpath).chain;
}

/** Keeps the uuid of a rule if the client does not send it. */
function keepUuids(before: TreeNode | undefined, node: TreeNode): TreeNode {
  if (before === undefined) return node;
  const uuid = node.attributes?.has("uuid") === true ? undefined : before.attributes?.get("uuid");
  const known = new Map(before.children.filter((child) => child.name !== undefined).map((child) => [child.name, child]));
  const children = node.children.map((child) => {
    if (child.name !== undefined) return keepUuids(known.get(child.name), child);
    return child.children.length === 0
      ? child
      : keepUuids(
          before.children.find((other) => other.tag === child.tag),
          child,
        );
  });
  const same = uuid === undefined && children.every((child, index) => child === node.children[index]);
  if (same) return node;
  const attributes = uuid === undefined ? node.attributes : new Map([...(node.attributes ?? []), ["uuid", uuid]]);
  return new TreeNode(node.tag, node.name, node.text, children, attributes);
}
