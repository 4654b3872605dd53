import type { Definition, NameReference } from "./namespace.js";

/** Returns the key of a reference in a tree. */
export function referenceKey(reference: NameReference): string {
  return `${reference.path}\n${reference.value}`;
}

/** Returns the key of an object's name in its namespace. */
export function nameKey({ scope, namespace, name }: Definition): string {
  return `${scope.id}\n${namespace}\n${name}`;
}
