import type { TreeNode } from "../../../core/tree/node.js";
import { DeviceError } from "../device-error.js";
import { invalidObject, tooLong, unexpectedHere } from "../device-messages.js";
import type { SchemaPlace } from "../schema/schema-place.js";
import { type Chain, last } from "../tree/config-tree.js";
import { arrowsOf, placeOf } from "../tree/place.js";
import { objectAround, type RuledObject, tagsBelow } from "./object-of.js";
import { SETTING_RULES } from "./objects.js";

/** Checks a newly written subtree immediately: names, unknown children and values. Throws code 12, as devices do. */
export function checkWritten(chain: Chain): void {
  refuseInsideLeaf(chain);
  checkNode(chain, objectAround(chain), placeOf(chain).spot);
}

/** Throws if a leaf contains an element, for example `<action><deny/></action>`. */
function refuseInsideLeaf(chain: Chain): void {
  let { spot } = placeOf(chain.slice(0, 1));
  for (const [index, node] of chain.entries()) {
    if (index > 0) spot = spot.child(node.tag);
    if (spot.isText && index < chain.length - 1) throw unexpectedHere(arrowsOf(chain.slice(0, index + 2)));
  }
}

function checkNode(chain: Chain, object: RuledObject | undefined, spot: SchemaPlace): void {
  const node = last(chain);
  const own = object !== undefined && object.depth === chain.length - 1;
  if (own) checkName(node, object);
  if (object !== undefined && !own) checkChild(chain, object);
  if (node.children.length === 0 && node.text !== "") checkValue(chain, object);
  for (const child of node.children) {
    const below = [...chain, child];
    if (spot.isText) throw unexpectedHere(arrowsOf(below));
    checkNode(below, (child.name === undefined ? undefined : objectAround(below, object)) ?? object, spot.child(child.tag));
  }
}

function checkName(node: TreeNode, { rule }: RuledObject): void {
  const name = node.name ?? "";
  if (name.length > rule.maxName) throw tooLong(name, rule.maxName);
  if (rule.charset?.test(name) === false)
    throw invalidObject(`${name} is invalid. Valid characters are alphanumeric, hyphen, underscore, dot and space`);
  if (rule.reservedNames?.includes(name) === true) throw invalidObject(`${name} is a reserved name`);
}

function checkChild(chain: Chain, { rule, depth }: RuledObject): void {
  if (chain.length - 1 !== depth + 1 || rule.children === undefined) return;
  if (!rule.children.includes(last(chain).tag)) throw unexpectedHere(arrowsOf(chain));
}

function checkValue(chain: Chain, object: RuledObject | undefined): void {
  const { text } = last(chain);
  const check = object === undefined ? SETTING_RULES[tagsBelow(chain, 2)] : object.rule.leaves?.[tagsBelow(chain, object.depth)];
  const problem = check?.(text);
  if (problem === undefined) return;
  const nested = problem.startsWith("value=");
  throw new DeviceError("12", ` ${arrowsOf(chain)} ${problem}`, { form: nested ? "nested-lines" : "lines" });
}
