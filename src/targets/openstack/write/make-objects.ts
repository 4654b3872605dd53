import type { Operation } from "../../../core/operation.js";
import { find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { isLeaseLost } from "../../../core/write-lease.js";
import { writerOf } from "../objects/all-writers.js";
import type { NewObject } from "../objects/writers.js";
import type { WriteContext } from "./context.js";
import { explainCloudError } from "./explain-error.js";
import { byObject, locate } from "./locate.js";
import { existingId, isStored, loadFor, writeObject } from "./write-object.js";

/**
 * Creates new objects of one list, one operation each. Objects that exist by now are written individually. Resolves with the errors in
 * order, each with the path of its entry.
 */
export async function makeObjects(
  operations: readonly Operation[],
  seen: TreeNode | undefined,
  context: WriteContext,
): Promise<readonly (Error | undefined)[]> {
  const news = await newObjects(operations, seen, context);
  const errors = new Map<Operation, Error | undefined>();
  if (news.size > 1) for (const [operation, error] of await together(news, context)) errors.set(operation, error);
  for (const operation of operations) if (!errors.has(operation)) errors.set(operation, await alone(operation, seen, context));
  return operations.map((operation) => errors.get(operation));
}

async function newObjects(
  operations: readonly Operation[],
  seen: TreeNode | undefined,
  context: WriteContext,
): Promise<ReadonlyMap<Operation, NewObject>> {
  const news = new Map<Operation, NewObject>();
  const paths = new Set<string>();
  for (const operation of operations) {
    const { list, path, element } = locate(operation);
    await loadFor(list, context);
    if (element === undefined || paths.has(path.toString()) || existingId(list, path, context) !== undefined) continue;
    if (seen !== undefined && find(seen, path) !== undefined) continue;
    paths.add(path.toString());
    news.set(operation, { entry: element, path });
  }
  return news;
}

async function together(news: ReadonlyMap<Operation, NewObject>, context: WriteContext): Promise<[Operation, Error | undefined][]> {
  const all = [...news.values()];
  const [list] = [...news.keys()].map((operation) => locate(operation).list);
  const writer = list === undefined ? undefined : writerOf(list);
  if (list === undefined || writer?.createTogether === undefined) return [];
  for (const { path } of all) context.stored.delete(path.toString());
  const failed = await writer.createTogether(all, context).catch((error: Error) => {
    if (isLeaseLost(error)) throw error;
    return all.map(() => error);
  });
  const ends = [...news].map(async ([operation, { path }], at): Promise<[Operation, Error | undefined]> => {
    const isMade = existingId(list, path, context) !== undefined;
    const error = failed[at];
    if (error !== undefined) return [operation, (await explainCloudError(error, { list, path, id: undefined, isMade }, context)) as Error];
    context.made.add(path.toString());
    if (isStored([operation], list, path, context)) context.stored.add(path.toString());
    return [operation, undefined];
  });
  return await Promise.all(ends);
}

async function alone(operation: Operation, seen: TreeNode | undefined, context: WriteContext): Promise<Error | undefined> {
  try {
    for (const part of byObject([operation])) await writeObject(part, seen, context);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
