import { PlumblineError } from "../../core/errors.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { ContrailType } from "./client/types.js";
import { contrailShape } from "./shape.js";

export const ROOT = "contrail";
export const ROOT_PATH = Path.root.child(ROOT);
/** Scope of all documents of a controller. */
export const SCOPE = "controller";

/** Lists of the tree with the type of their objects, in the order for display. */
const TYPES: ReadonlyMap<string, ContrailType> = new Map([
  ["projects", "project"],
  ["network-ipams", "network-ipam"],
  ["network-policys", "network-policy"],
  ["security-groups", "security-group"],
  ["route-tables", "route-table"],
  ["virtual-networks", "virtual-network"],
  ["logical-routers", "logical-router"],
  ["floating-ip-pools", "floating-ip-pool"],
  ["floating-ips", "floating-ip"],
]);

/** Parent type of objects whose parent is not a project. */
const PARENTS: ReadonlyMap<string, ContrailType> = new Map([
  ["floating-ip-pools", "virtual-network"],
  ["floating-ips", "floating-ip-pool"],
]);

export const COLLECTIONS: readonly string[] = [...TYPES.keys()];

export function typeOf(collection: string): ContrailType {
  const type = TYPES.get(collection);
  if (type === undefined) {
    throw new PlumblineError("unknown-element", `A controller has no known list "${collection}".`, {
      where: { xpath: ROOT_PATH.child(collection).toString() },
      next: `Use one of: ${COLLECTIONS.join(", ")}.`,
    });
  }
  return type;
}

export function parentTypeOf(collection: string): ContrailType {
  return PARENTS.get(collection) ?? "project";
}

/** Returns the name of the parent object: `domain:project:network` for a pool. */
export function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(":")));
}

/** Child that names the parent, in lists whose objects are not below a project. */
export const PARENT = "parent";

export function hasParent(collection: string): boolean {
  return PARENTS.has(collection);
}

export function objectShape(collection: string): Shape {
  return contrailShape().child(collection).child("entry");
}

export function nameParts(name: string): string[] {
  return name.split(":");
}
