import type { TreeNode } from "../../../core/tree/node.js";
import { aloneWord, invalidObject, isInvalid, tooManyMembers } from "../device-messages.js";
import type { SchemaPlace } from "../schema/schema-place.js";
import { type Chain, last } from "../tree/config-tree.js";
import { arrowsOf, placeOf } from "../tree/place.js";
import { findChild } from "../tree/sibling-index.js";

/**
 * Checks the nodes that a request has written, in their final form: bounds of lists, words that must be alone, empty containers, and
 * fields that depend on each other. `parents` is the chain of the written element's parent. Throws code 12.
 */
export function checkBounds(parents: Chain, element: TreeNode, version: string): void {
  for (const depth of [parents.length - 1, parents.length]) if (depth > 0) checkNode(parents.slice(0, depth + 1), version);
  checkBelow(parents, element, placeOf(parents).spot, version);
}

function checkBelow(parents: Chain, element: TreeNode, parent: SchemaPlace, version: string): void {
  if (element.tag === "member") return;
  const node = findChild(last(parents).children, element.tag, element.name);
  if (node === undefined) return;
  const chain = [...parents, node];
  checkNode(chain, version);
  const spot = parent.child(element.tag);
  for (const child of element.children) checkBelow(chain, child, spot, version);
}

function checkNode(chain: Chain, version: string): void {
  const { spot } = placeOf(chain);
  const { children, tag } = last(chain);
  if (tag === "entry") checkEntry(chain, spot, version);
  if (spot.holdsOneMember && children.length > 1) throw tooManyMembers(tag);
  const word = children.length > 1 ? children.find(({ text }) => spot.alone.includes(text))?.text : undefined;
  if (word !== undefined) throw aloneWord(word, tag);
  if (spot.mustNotBeEmpty && children.length === 0) throw isInvalid(arrowsOf(chain));
}

/**
 * "NAME -> list 'URL' is invalid. custom-url-category entry has to be type specified" (issue 285 of pan-os-python). Version 8.1 has no field
 * `type`.
 */
function checkEntry(chain: Chain, spot: SchemaPlace, version: string): void {
  if (spot.path !== "profiles/custom-url-category" || Number(version.split(".")[0]) < 9) return;
  const entry = last(chain);
  const [url] = entry.children.find(({ tag }) => tag === "list")?.children ?? [];
  if (url === undefined || entry.children.some(({ tag }) => tag === "type")) return;
  throw invalidObject(`${entry.name} -> list '${url.text}' is invalid. custom-url-category entry has to be type specified`);
}
