import { type Json, type JsonObject, objectsAt, texts } from "../../../core/json/value.js";
import { equalNodes } from "../../../core/tree/canonical.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Shape } from "../../../core/tree/shape.js";
import type { ContrailClient } from "../client/client.js";
import { idOf } from "../client/objects.js";
import type { ContrailType } from "../client/types.js";
import { encode, encodeFields, encodeLeaf } from "../json-tree/encode.js";

/**
 * References of a router that the controller resolves only by uuid. A reference by name ends in status 500
 * (docs/contributing/devices/contrail.md#updates).
 */
const BY_ID = [
  ["virtual_machine_interface_refs", "virtual-machine-interface"],
  ["virtual_network_refs", "virtual-network"],
] as const;

/**
 * Adds the uuids of a router's references to the document.
 * @throws PlumblineError `controller-not-found` if one does not exist or our account may not see it.
 */
export async function withIds(client: ContrailClient, type: ContrailType, document: JsonObject): Promise<JsonObject> {
  if (type !== "logical-router") return document;
  const found: JsonObject = { ...document };
  for (const [field, referredType] of BY_ID) {
    if (document[field] === undefined) continue;
    const withId = async (each: JsonObject): Promise<JsonObject> =>
      each.uuid === undefined ? { ...each, uuid: await idOf(client, referredType, texts(each.to) ?? []) } : each;
    found[field] = await Promise.all(objectsAt(document, field).map(withId));
  }
  return found;
}

/** Returns the tags of the fields that differ between two versions of an object. */
export function changedFields(before: TreeNode, after: TreeNode, shape: Shape): string[] {
  return shape.knownTags.filter((tag) => {
    const inner = shape.child(tag);
    if (inner.readOnly === true) return false;
    const [was, is] = [childByTag(before, tag), childByTag(after, tag)];
    if (was === undefined || is === undefined) return was !== is;
    return !equalNodes(was, is, inner);
  });
}

/** Returns the value to send for a field of `object`. `before` is the current document on the controller. */
export function fieldValue(tag: string, object: TreeNode, shape: Shape, before: JsonObject): Json {
  const inner = shape.child(tag);
  const node = childByTag(object, tag);
  if (node === undefined) return removed(tag, inner);
  // The controller sets the other members itself and merges the request into them.
  if (tag === "id_perms") return encodeFields(node, inner, {});
  return encode(tag, node, inner, before[tag]);
}

/** An empty list removes references. A property is reset to its default, or to null without a default. */
function removed(tag: string, shape: Shape): Json {
  if (tag.endsWith("_refs")) return [];
  return shape.kind === "leaf" && shape.default !== undefined ? encodeLeaf(shape.default, shape) : null;
}
