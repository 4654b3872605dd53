import { applyOperation } from "../../../core/apply-operation.js";
import { PlumblineError } from "../../../core/errors.js";
import type { JsonObject } from "../../../core/json/value.js";
import { type Operation, touchedPath } from "../../../core/operation.js";
import { cloneTree, UndoLog } from "../../../core/tree/edit/edit-tree.js";
import { equalNodes } from "../../../core/tree/equal.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { isOutcomeUnknown, isWriteTimedOut, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import { kindOf } from "../objects/all.js";
import { writerOf } from "../objects/all-writers.js";
import type { ListName, ObjectKind } from "../objects/kinds.js";
import { sameMark } from "../objects/network-writer.js";
import { entryNode, needsOf } from "../read/read-tree.js";
import type { WriteContext } from "./context.js";
import { explainCloudError } from "./explain-error.js";
import { framed, named, type ObjectOperations } from "./locate.js";

/**
 * Performs operations on one object after reading it again. `seen` is the tree that the plan was made from: if another client has changed a
 * field that is to be written, it is not overwritten.
 * @throws PlumblineError with the path of the entry
 */
export async function writeObject(
  { located: { list, path, element }, complete, operations }: ObjectOperations,
  seen: TreeNode | undefined,
  context: WriteContext,
): Promise<void> {
  let id: string | undefined;
  context.stored.delete(path.toString());
  try {
    await loadFor(list, context);
    id = existingId(list, path, context);
    if (complete?.action === "delete") await remove(list, path, id, context);
    else if (complete?.action === "rename") await rename(complete.newName, { list, path, id, seen, context });
    else if (complete?.action === "edit") {
      await remove(list, path, id, context);
      await make(list, complete.element, path, context);
    } else if (id !== undefined) await update(operations, { list, path, id, seen, context });
    else if (element !== undefined && (seen === undefined || find(seen, path) === undefined)) {
      await make(list, element, path, context);
      id = existingId(list, path, context);
      if (operations.length > 1 && id !== undefined) await update(operations.slice(1), { list, path, id, seen: undefined, context });
    } else throw deletedObject(path, context);
    if (complete === undefined && isStored(operations, list, path, context)) context.stored.add(path.toString());
  } catch (error) {
    const isMade = id === undefined && context.inventory.has(list) && existingId(list, path, context) !== undefined;
    throw await explainCloudError(error, { list, path, id, isMade }, context);
  }
}

/** Loads the lists that are needed to name the objects of a list. */
export async function loadFor(list: ListName, { inventory }: WriteContext): Promise<void> {
  await inventory.load([list, ...needsOf(list), ...(list === "subnets" ? (["networks"] as const) : [])]);
}

/** Whether the last reply contains everything that was written to the object. */
export function isStored(operations: readonly Operation[], list: ListName, path: Path, context: WriteContext): boolean {
  const object = context.inventory.object(list, existingId(list, path, context) ?? "");
  return object !== undefined && changeOf(operations, path, kindOf(list), object, context).tags.size === 0;
}

async function make(list: ListName, element: TreeNode, path: Path, context: WriteContext): Promise<void> {
  await writerOf(list).create(element, path, context);
  context.made.add(path.toString());
}

/** Returns the id of the existing object at `path`. */
export function existingId(list: ListName, path: Path, { inventory }: WriteContext): string | undefined {
  const ids = inventory.idsOf(list, path.name ?? "");
  const network = path.parent?.parent;
  if (list !== "subnets" || network === undefined) return ids[0];
  const [parent] = inventory.idsOf("networks", network.name ?? "");
  return ids.find((id) => inventory.object("subnets", id)?.network_id === parent);
}

/** Deletes an object if its mark has not changed since it was read. */
async function remove(list: ListName, path: Path, id: string | undefined, context: WriteContext): Promise<void> {
  if (id === undefined) return;
  const kind = kindOf(list);
  const read = context.inventory.object(list, id);
  const object = await writerOf(list).fresh(id, context);
  if (object === undefined) return;
  if (read !== undefined && !sameMark(kind.markOf(read), kind.markOf(object))) throw changed(path, ["owner"], context);
  await writerOf(list).remove(object, path, context);
}

/** Renames the object and changes its mark accordingly. References use its id and need no change. */
async function rename(
  newName: string,
  { list, path, id, context }: Omit<Update, "id"> & { readonly id: string | undefined },
): Promise<void> {
  const object = id === undefined ? undefined : await writerOf(list).fresh(id, context);
  if (id === undefined || object === undefined) throw deletedObject(path, context);
  const before = named(path, entryNode(kindOf(list), object, context.inventory));
  const to = (path.parent ?? path).entry(newName, path.tag);
  const after = new TreeNode(before.tag, newName, before.text, before.children, before.attributes);
  await writerOf(list).update({ path: to, id, object, before, after, tags: new Set(["name", "owner"]) }, context);
  context.inventory.rename(list, id, newName);
}

interface Update {
  readonly list: ListName;
  readonly path: Path;
  readonly id: string;
  readonly seen: TreeNode | undefined;
  readonly context: WriteContext;
}

async function update(operations: readonly Operation[], { list, path, id, seen, context }: Update): Promise<void> {
  const kind = kindOf(list);
  const planned = seen === undefined || context.made.has(path.toString()) ? undefined : find(seen, path);
  for (let attempt = 1; ; attempt++) {
    const object = await writerOf(list).fresh(id, context, writtenTags(operations, path));
    if (object === undefined) throw deletedObject(path, context);
    const change = changeOf(operations, path, kind, object, context);
    if (change.tags.size === 0) return;
    refuseMoved(change, planned, kind, path, context);
    try {
      await writerOf(list).update({ path, id, object, ...change }, context);
      return;
    } catch (error) {
      const isRaced = error instanceof OpenstackError && error.refusal === "changed";
      if (attempt > 1 || (!isRaced && !isOutcomeUnknown(error))) throw error;
      if (!isRaced && !(await isDone(operations, path, kind, id, context)))
        throw isWriteTimedOut(error) ? timedOut(error, path, context) : error;
    }
  }
}

/** Returns the children of the entry that the operations write. */
function writtenTags(operations: readonly Operation[], path: Path): ReadonlySet<string> {
  const tags = new Set<string>();
  for (const operation of operations) {
    const at = touchedPath(operation);
    const step = at.steps()[path.depth];
    if (step !== undefined) tags.add(step.tag);
    else if (operation.action === "set") for (const { tag } of operation.element.children) tags.add(tag);
  }
  return tags;
}

interface Difference {
  readonly before: TreeNode;
  readonly after: TreeNode;
  readonly tags: ReadonlySet<string>;
}

function changeOf(
  operations: readonly Operation[],
  path: Path,
  kind: ObjectKind,
  object: JsonObject,
  { inventory }: WriteContext,
): Difference {
  const before = named(path, entryNode(kind, object, inventory));
  const root = framed(path, cloneTree(before));
  for (const operation of operations) {
    try {
      applyOperation(root, operation, new UndoLog());
    } catch (error) {
      // The node to delete is already absent.
      if (operation.action !== "delete" || !(error instanceof PlumblineError)) throw error;
    }
  }
  const after = find(root, path) ?? before;
  const tags = new Set([...before.children, ...after.children].map(({ tag }) => tag));
  for (const tag of tags) if (isSame(tag, before, after, kind)) tags.delete(tag);
  return { before, after, tags };
}

function isSame(tag: string, one: TreeNode, other: TreeNode, { entry, nested }: ObjectKind): boolean {
  if (tag === nested?.list) return true;
  const nothing = new TreeNode(tag);
  return equalNodes(childByTag(one, tag) ?? nothing, childByTag(other, tag) ?? nothing, entry.child(tag));
}

/** @throws PlumblineError `cloud-changed-meanwhile` if a value to write has changed since the plan was made */
function refuseMoved(
  { before, after, tags }: Difference,
  planned: TreeNode | undefined,
  kind: ObjectKind,
  path: Path,
  context: WriteContext,
): void {
  if (planned === undefined) return;
  const isMoved = (tag: string) => instead(tag, kind).some((each) => !isSame(each, before, planned, kind));
  const moved = [...tags].filter((tag) => !isSame(tag, before, after, kind) && isMoved(tag));
  if (moved.length > 0) throw changed(path, moved, context);
}

/** Returns the tag together with the alternatives that exclude it. */
function instead(tag: string, { entry }: ObjectKind): readonly string[] {
  const { choice } = entry.child(tag);
  return choice === undefined ? [tag] : entry.knownTags.filter((each) => entry.child(each).choice === choice);
}

async function isDone(operations: readonly Operation[], path: Path, kind: ObjectKind, id: string, context: WriteContext): Promise<boolean> {
  const object = await writerOf(kind.list).fresh(id, context);
  return object !== undefined && changeOf(operations, path, kind, object, context).tags.size === 0;
}

/** The run does not repeat the write, because the service may still be working on it. */
function timedOut(cause: PlumblineError, path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("cloud-write-timed-out", `the outcome of a change to "${path.name}" is unknown: ${cause.message}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Run again: the object is read again first. If the service needs longer, raise the timeout of the target.",
    severity: "partial",
    cause,
  });
}

function changed(path: Path, tags: readonly string[], { client }: WriteContext): PlumblineError {
  return new PlumblineError("cloud-changed-meanwhile", `${tags.join(", ")} of "${path.name}" was changed since the plan`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Run again: the new plan uses the current state.",
  });
}

function deletedObject(path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("cloud-not-found", `"${path.name}" was deleted since the plan`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Run again: it is created again if it is still declared.",
  });
}
