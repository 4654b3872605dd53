import { type Json, type JsonObject, objectAt } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { checkText } from "../../../desired/leaf-types.js";
import { isNotFound } from "../../openstack-client/client/openstack-error.js";
import type { OpenstackRequest } from "../../openstack-client/client/request.js";
import { isMarkMetadata, KEY_METADATA, OWNER_METADATA, type OwnerMark, RUN_METADATA } from "../owner-marks.js";
import type { WriteContext } from "../write/context.js";
import { rowsOf, textOf } from "../write/encode.js";
import type { Change } from "./writers.js";

/** Returns the metadata of a server or a volume without marks. */
export function metadataOf(object: JsonObject): TreeNode | undefined {
  return pairsNode(
    "metadata",
    Object.entries(objectAt(object, "metadata") ?? {}).filter(([key]) => !isMarkMetadata(key)),
  );
}

/** Returns a node with one leaf for each pair, or undefined without pairs. Keys that no document can declare are skipped. */
export function pairsNode(tag: string, pairs: readonly (readonly [string, Json])[]): TreeNode | undefined {
  const leaves = pairs
    .filter(([key]) => checkText("metadata-key", key) === undefined)
    .map(([key, value]) => new TreeNode(key, undefined, String(value)));
  return leaves.length === 0 ? undefined : new TreeNode(tag, undefined, "", leaves);
}

/** Returns the declared metadata of an entry. */
export function declaredMetadata(entry: TreeNode): Record<string, string> {
  return Object.fromEntries(rowsOf(entry, "metadata").map(({ tag, text }) => [tag, text]));
}

/** Returns the mark of objects that this run creates. */
export function marksOf({ owner, key }: OwnerMark, { run }: WriteContext): Record<string, string> {
  return { [OWNER_METADATA]: owner, [KEY_METADATA]: key, [RUN_METADATA]: run };
}

/** Returns the mark that an update sets, if the entry gets an owner. */
export function newMarks({ path, after, tags }: Change, context: WriteContext): Record<string, string> {
  const owner = tags.has("owner") ? textOf(after, "owner") : undefined;
  return owner === undefined ? {} : marksOf({ owner, key: path.name ?? "" }, context);
}

/** Sets keys that differ and deletes removed keys. Keys that no document can declare are kept. `at`: the object. */
export async function putMetadata(
  at: Pick<OpenstackRequest, "service" | "path">,
  { before, after }: Pick<Change, "before" | "after">,
  marks: Record<string, string>,
  { client }: WriteContext,
): Promise<void> {
  const had = declaredMetadata(before);
  const wanted = declaredMetadata(after);
  const metadata = { ...Object.fromEntries(Object.entries(wanted).filter(([key, value]) => had[key] !== value)), ...marks };
  const path = [...at.path, "metadata"];
  if (Object.keys(metadata).length > 0) await client.request({ ...at, method: "POST", path, body: { metadata } });
  for (const key of Object.keys(had)) {
    if (key in wanted) continue;
    await client.request({ ...at, method: "DELETE", path: [...path, key] }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
