import { createHash } from "node:crypto";
import { TreeNode } from "../../../core/tree/node.js";
import type { Step, XPath } from "../../../core/tree/xpath/xpath.js";
import { badXPath } from "../device-messages.js";
import { type Chain, type ConfigTree, last } from "../tree/config-tree.js";
import { placeOf, xpathOf } from "../tree/place.js";
import { findChild } from "../tree/sibling-index.js";
import type { EditContext } from "./edit.js";

/**
 * Returns the chain of nodes that an xpath selects, and creates missing nodes. Throws code 6 if a step does not select exactly one node.
 */
export function ensureChain(
  { tree, stamp, settings }: EditContext,
  xpath: XPath,
): { readonly chain: Chain; readonly created: Chain | undefined } {
  let chain: Chain = [tree.root];
  let created: Chain | undefined;
  const [first, ...rest] = xpath.steps;
  if (!xpath.absolute || first?.tag !== tree.root.tag || first.predicates.length > 0) throw badXPath();
  for (const step of rest) {
    const found = stepBelow(last(chain), step);
    if (found === undefined) {
      chain = tree.insert(chain, newNode(chain, step, settings.masterKey, stamp.dirtyId));
      created ??= chain;
    } else chain = [...chain, found];
  }
  return { chain, created };
}

function stepBelow(parent: TreeNode, step: Step): TreeNode | undefined {
  const { tag } = step;
  if (tag === undefined) throw badXPath();
  const [predicate, second] = step.predicates;
  if (second !== undefined) throw badXPath();
  if (predicate === undefined) return onlyChild(parent, tag);
  if (predicate.kind === "attribute" && predicate.name === "name") return findChild(parent.children, tag, predicate.value);
  if (predicate.kind === "text") return findChild(parent.children, tag, undefined, predicate.value);
  throw badXPath();
}

/** `entry` without a name selects the only entry, as in `/config/devices/entry/network`. */
function onlyChild(parent: TreeNode, tag: string): TreeNode | undefined {
  if (tag !== "entry") return findChild(parent.children, tag);
  if (parent.children.length !== 1) throw badXPath();
  return parent.children[0];
}

function newNode(parents: Chain, step: Step, masterKey: string, dirtyId: number): TreeNode {
  const [predicate] = step.predicates;
  const name = predicate?.kind === "attribute" ? predicate.value : undefined;
  const text = predicate?.kind === "text" ? predicate.value : "";
  const node = new TreeNode(step.tag ?? "", name, text);
  return withUuid(parents, node, masterKey, dirtyId);
}

/**
 * Adds a uuid to an entry of a rule list that has no uuid. The uuid is derived from the place and the edit, so a replay creates the same
 * uuid.
 */
function withUuid(parents: Chain, node: TreeNode, masterKey: string, dirtyId: number): TreeNode {
  if (node.name === undefined || node.attributes?.has("uuid") === true || !placeOf(parents).spot.isRuleList) return node;
  const hash = createHash("sha256")
    .update(`${masterKey}\n${dirtyId}\n${xpathOf(parents)}\n${node.name}`)
    .digest("hex");
  const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return new TreeNode(node.tag, node.name, node.text, node.children, new Map([...(node.attributes ?? []), ["uuid", uuid]]));
}

/** Returns `node` with uuids for it and all rules below it. */
export function withUuidsBelow(parents: Chain, node: TreeNode, masterKey: string, dirtyId: number): TreeNode {
  const own = withUuid(parents, node, masterKey, dirtyId);
  const chain = [...parents, own];
  const { spot } = placeOf(chain);
  const isObject = !spot.isFrame && (own.tag === "entry" || (spot.list !== undefined && !spot.isRuleList));
  if (own.children.length === 0 || isObject) return own;
  const children = own.children.map((child) => withUuidsBelow(chain, child, masterKey, dirtyId));
  return children.every((child, index) => child === own.children[index])
    ? own
    : new TreeNode(own.tag, own.name, own.text, children, own.attributes);
}

/** Replaces the text and children of a node. */
export function refill(tree: ConfigTree, chain: Chain, text: string, children: readonly TreeNode[]): Chain {
  const node = last(chain);
  return tree.replace(chain, new TreeNode(node.tag, node.name, text, children, node.attributes));
}
