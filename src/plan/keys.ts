import type { Definition, NameReference } from "./namespace.js";

/** One key for one reference of a tree. */
export function referenceKey(reference: NameReference): string {
  return `${reference.path}\n${reference.value}`;
}

/** One key for the name of an object in its namespace. */
export function nameKey({ scope, namespace, name }: Definition): string {
  return `${scope.id}\n${namespace}\n${name}`;
}
