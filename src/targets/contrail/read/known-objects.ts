import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import { nameOf } from "../object-tree.js";

/** Objects as last read, by list and name. The plan is based on them. */
export class KnownObjects {
  readonly #lists = new Map<string, Map<string, JsonObject>>();

  get(collection: string, name: string): JsonObject | undefined {
    return this.#lists.get(collection)?.get(name);
  }

  add(collection: string, document: JsonObject): void {
    let list = this.#lists.get(collection);
    if (list === undefined) {
      list = new Map();
      this.#lists.set(collection, list);
    }
    list.set(nameOf(document), document);
  }

  forget(collection: string, name: string): void {
    this.#lists.get(collection)?.delete(name);
  }

  /** Forgets one list before the next read. */
  clear(collection: string): void {
    this.#lists.delete(collection);
  }
}

/** Returns the ETag of a single read, which lists omit: the quoted time of the last change. */
export function etagOf(document: JsonObject): string | undefined {
  const modified = textAt(objectAt(document, "id_perms") ?? {}, "last_modified");
  return modified === undefined ? undefined : `"${modified}"`;
}
