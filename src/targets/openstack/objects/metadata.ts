import { type Json, type JsonObject, objectAt } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { isNotFound } from "../client/openstack-error.js";
import type { OpenstackRequest } from "../client/request.js";
import { isMarkMetadata, KEY_METADATA, OWNER_METADATA, type OwnerMark, RUN_METADATA } from "../owner-marks.js";
import type { WriteContext } from "../write/context.js";
import { rowsOf, textOf } from "../write/encode.js";
import type { Change } from "./writers.js";

/** What a path can lead to; other keys, which no document can name, are left alone. */
const NAMEABLE = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/** The metadata of a server or a volume, but for marks. */
export function metadataOf(object: JsonObject): TreeNode | undefined {
  return pairsNode(
    "metadata",
    Object.entries(objectAt(object, "metadata") ?? {}).filter(([key]) => !isMarkMetadata(key)),
  );
}

/** A node with a leaf of each pair whose key a path can name; undefined for none. */
export function pairsNode(tag: string, pairs: readonly (readonly [string, Json])[]): TreeNode | undefined {
  const leaves = pairs.filter(([key]) => NAMEABLE.test(key)).map(([key, value]) => new TreeNode(key, undefined, String(value)));
  return leaves.length === 0 ? undefined : new TreeNode(tag, undefined, "", leaves);
}

/** What an entry says of its metadata. */
export function saidMetadata(entry: TreeNode): Record<string, string> {
  return Object.fromEntries(rowsOf(entry, "metadata").map(({ tag, text }) => [tag, text]));
}

/** The mark of what is made by this run. */
export function marksOf({ owner, key }: OwnerMark, { run }: WriteContext): Record<string, string> {
  return { [OWNER_METADATA]: owner, [KEY_METADATA]: key, [RUN_METADATA]: run };
}

/** The mark that an update sets: where the entry gets an owner. */
export function newMarks({ path, after, tags }: Change, context: WriteContext): Record<string, string> {
  const owner = tags.has("owner") ? textOf(after, "owner") : undefined;
  return owner === undefined ? {} : marksOf({ owner, key: path.name ?? "" }, context);
}

/** Sets what differs and deletes what is gone; keys that no document can name are left alone. `at`: the object. */
export async function putMetadata(
  at: Pick<OpenstackRequest, "service" | "path">,
  { before, after }: Pick<Change, "before" | "after">,
  marks: Record<string, string>,
  { client }: WriteContext,
): Promise<void> {
  const had = saidMetadata(before);
  const wanted = saidMetadata(after);
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
