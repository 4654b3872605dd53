import { PlumblineError } from "../../../core/errors.js";
import type { Operation } from "../../../core/operation.js";

/** Consecutive operations on one object. */
export interface ObjectOperations {
  readonly collection: string;
  /** `domain:project:name` */
  readonly name: string;
  readonly operations: Operation[];
}

/** Depth of an object: `/contrail/<list>/entry`. */
export const OBJECT_DEPTH = 3;

/** Groups consecutive operations by object. A `set` of several new objects is split into one operation for each. */
export function byObject(batch: readonly Operation[]): ObjectOperations[] {
  const groups: ObjectOperations[] = [];
  for (const { collection, name, operation } of batch.flatMap(single)) {
    const last = groups.at(-1);
    if (last?.collection === collection && last.name === name) last.operations.push(operation);
    else groups.push({ collection, name, operations: [operation] });
  }
  return groups;
}

function single(operation: Operation): { collection: string; name: string; operation: Operation }[] {
  const { at } = operation;
  const [, list, object] = at.steps();
  if (list !== undefined && object?.name !== undefined) return [{ collection: list.tag, name: object.name, operation }];
  if (operation.action !== "set") throw notPossible(operation);
  const { element } = operation;
  const [path, entries] = list === undefined ? [at.child(element.tag), element.children] : [list, [element]];
  return entries.map((entry) => {
    if (entry.name === undefined) throw notPossible(operation);
    return { collection: path.tag, name: entry.name, operation: { action: "set", at: path, element: entry } };
  });
}

/** Returns true for an operation that creates or completely replaces its object. */
export function isCompleteObject({ action, at }: Operation): boolean {
  return action === "set" ? at.depth === OBJECT_DEPTH - 1 : at.depth === OBJECT_DEPTH;
}

function notPossible(operation: Operation): PlumblineError {
  return new PlumblineError("operation-not-possible", `A controller cannot carry out "${operation.action}" of ${operation.at}.`, {
    where: { xpath: operation.at.toString() },
    next: "Declare the objects one by one. Complete lists of objects cannot be replaced.",
  });
}
