import { type Json, type JsonObject, objectsAt, texts } from "../../../core/json/value.js";
import { equalNodes } from "../../../core/tree/canonical.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Shape } from "../../../core/tree/shape.js";
import type { ContrailClient } from "../client/client.js";
import { idOf } from "../client/objects.js";
import type { ContrailType } from "../client/types.js";
import { encode, encodeFields, encodeLeaf } from "../json-tree/encode.js";

/** References of a router that it looks at by uuid alone: one by its name ends in 500 (docs/devices/contrail.md#updates). */
const BY_ID = [
  ["virtual_machine_interface_refs", "virtual-machine-interface"],
  ["virtual_network_refs", "virtual-network"],
] as const;

/** The document with the uuids of what a router refers to. Throws `controller-not-found` where one is not there, or not for us. */
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

/** Tags of the fields of an object in which two readings of it differ. */
export function changedFields(before: TreeNode, after: TreeNode, shape: Shape): string[] {
  return shape.knownTags.filter((tag) => {
    const inner = shape.child(tag);
    if (inner.readOnly === true) return false;
    const [was, is] = [childByTag(before, tag), childByTag(after, tag)];
    if (was === undefined || is === undefined) return was !== is;
    return !equalNodes(was, is, inner);
  });
}

/** What a request says of a field so that it becomes what `object` has. `before` is what the controller has now. */
export function fieldValue(tag: string, object: TreeNode, shape: Shape, before: JsonObject): Json {
  const inner = shape.child(tag);
  const node = childByTag(object, tag);
  if (node === undefined) return removed(tag, inner);
  // Its other members are the controller's own; it merges what it is sent.
  if (tag === "id_perms") return encodeFields(node, inner, {});
  return encode(tag, node, inner, before[tag]);
}

/** A reference goes with an empty list, a property with its default where it has one, else with null. */
function removed(tag: string, shape: Shape): Json {
  if (tag.endsWith("_refs")) return [];
  return shape.kind === "leaf" && shape.default !== undefined ? encodeLeaf(shape.default, shape) : null;
}
