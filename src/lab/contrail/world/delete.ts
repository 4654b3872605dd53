import { ControllerError } from "./controller-error.js";
import type { StoredObject } from "./stored-object.js";
import type { ContrailWorld } from "./world.js";

/**
 * Deletes an object with its derived children. Returns all deleted objects, children first. Refused (409) while other children or
 * references exist. The error names only the objects of one type, as the controller's does.
 */
export function deleteObject(world: ContrailWorld, object: StoredObject): StoredObject[] {
  const rules = world.rules(object.type);
  rules.beforeDelete?.(world, object);
  const derived: StoredObject[] = [];
  for (const [, children] of byType(world.store.childrenOf(object.uuid))) {
    const holding = [...children].filter((child) => rules.isDerivedChild?.(child) !== true);
    if (holding.length > 0) throw new ControllerError(409, "Delete when children still present: ", "text", holding);
    derived.push(...children);
  }
  const leaving = new Set([object, ...derived]);
  for (const [, referrers] of byType(world.store.referrersOf(object.uuid))) {
    const holding = [...referrers].filter((referrer) => !leaving.has(referrer));
    if (holding.length > 0) throw new ControllerError(409, "Delete when resource still referred: ", "text", holding);
  }
  for (const each of [...derived, object]) {
    world.store.remove(each);
    world.rules(each.type).afterDelete?.(world, each);
  }
  const parent = object.parent?.uuid === undefined ? undefined : world.store.get(object.parent.uuid);
  if (parent !== undefined) world.touched(parent);
  return [...derived, object];
}

function byType<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
