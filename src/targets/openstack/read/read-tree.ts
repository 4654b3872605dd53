import type { JsonObject } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { DUPLICATE, HALF_MADE, SHARED_NAME } from "../../../core/tree/owner-mark.js";
import type { Path } from "../../../core/tree/path.js";
import { HELD_ELSEWHERE } from "../../../plan/reference-index.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import { kindOf } from "../objects/all.js";
import type { ListName, ObjectKind } from "../objects/kinds.js";
import { openstackShape, ROOT_PATH, ROOT_TAG } from "../shape.js";
import type { Inventory } from "./inventory.js";
import { readOmitted } from "./read-omitted.js";
import { childrenOf, leaf } from "./render.js";

/** Returns the lists that `subtrees` name or are part of. All lists for the root. */
export function listsOf(subtrees: readonly Path[]): ListName[] {
  const all = openstackShape().knownTags as readonly ListName[];
  if (subtrees.some((path) => path.contains(ROOT_PATH))) return [...all];
  const tags = new Set(subtrees.map((path) => path.steps()[1]?.tag));
  return all.filter((list) => tags.has(list));
}

/** Reads the lists that `lists` depend on, each once, including objects that a list omitted. An empty list is included as empty. */
export async function readTree(lists: readonly ListName[], inventory: Inventory, client: OpenstackClient): Promise<TreeNode> {
  await inventory.load(lists.flatMap((list) => [list, ...needsOf(list)]));
  await readOmitted(inventory, client);
  return new TreeNode(
    ROOT_TAG,
    undefined,
    "",
    lists.map((list) => listNode(list, inventory.objects(list), inventory)),
  );
}

/** Returns the lists that the entries of a list and their nested entries depend on. */
export function needsOf(list: ListName): ListName[] {
  const { needs, nested } = kindOf(list);
  return nested === undefined ? [...needs] : [...needs, ...kindOf(nested.list).needs];
}

function listNode(list: ListName, objects: Iterable<JsonObject>, inventory: Inventory): TreeNode {
  const kind = kindOf(list);
  const shown = [...objects].filter((object) => kind.isShown?.(object) !== false);
  return new TreeNode(
    list,
    undefined,
    "",
    shown.map((object) => entryNode(kind, object, inventory)),
  );
}

/** Builds the entry of one object. It has a leaf `name` if its name is not its key. */
export function entryNode(kind: ObjectKind, object: JsonObject, inventory: Inventory): TreeNode {
  const id = kind.idOf(object);
  const { name, shared, twin, isHalfMade } = inventory.called(kind.list, id);
  const title = kind.nameOf(object);
  const mark = kind.markOf(object);
  const { nested } = kind;
  const special = {
    name: (mark !== undefined || shared !== undefined) && title !== name ? leaf("name", title) : undefined,
    owner: leaf("owner", mark?.owner),
    ...kind.special(object, inventory),
    ...(nested === undefined ? {} : { [nested.list]: listNode(nested.list, inventory.where(nested.list, nested.parent, id), inventory) }),
  };
  const markers = [
    [SHARED_NAME, shared],
    [DUPLICATE, twin],
    [HALF_MADE, isHalfMade ? "true" : undefined],
    [HELD_ELSEWHERE, kind.isHeldElsewhere?.(object) === true ? "true" : undefined],
  ] as const;
  const attributes = markers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return new TreeNode(
    "entry",
    name,
    "",
    childrenOf(object, kind.entry, special),
    attributes.length === 0 ? undefined : new Map(attributes),
  );
}
