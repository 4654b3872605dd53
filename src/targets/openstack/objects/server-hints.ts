import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Body } from "../../openstack-client/client/request.js";
import type { WriteContext } from "../write/context.js";
import { type Members, textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";

/** Hints that refer to servers. */
const BESIDE = ["same_host", "different_host"];

/** Returns the scheduler hints of a create. Empty without declared hints. */
export async function hintsOf(entry: TreeNode, path: Path, context: WriteContext): Promise<Members> {
  const said = childByTag(entry, "scheduler_hints");
  const hints: Record<string, Body> = {};
  for (const { tag, text } of said?.children ?? []) if (!BESIDE.includes(tag)) hints[tag] = text;
  for (const tag of BESIDE) {
    const at = path.child("scheduler_hints").child(tag);
    const keys = textsOf(said, tag);
    if (keys.length > 0) hints[tag] = await Promise.all(keys.map((key) => idOf(context, "servers", key, at.member(key))));
  }
  const group = textOf(entry, "server_group");
  if (group !== undefined) hints.group = await idOf(context, "server_groups", group, path.child("server_group"));
  return Object.keys(hints).length === 0 ? {} : { "os:scheduler_hints": hints };
}
