import { joinedName, type StoredObject } from "./stored-object.js";

/** Objects with indexes by id, name, parent and reference. */
export class ObjectStore {
  readonly #byUuid = new Map<string, StoredObject>();
  readonly #byName = new Map<string, Map<string, StoredObject>>();
  readonly #children = new Map<string, Map<string, Set<StoredObject>>>();
  readonly #referrers = new Map<string, Map<string, Set<StoredObject>>>();

  get(uuid: string): StoredObject | undefined {
    return this.#byUuid.get(uuid);
  }

  named(type: string, fqName: readonly string[]): StoredObject | undefined {
    return this.#byName.get(type)?.get(joinedName(fqName));
  }

  /** Returns all objects of a type, in no particular order. */
  ofType(type: string): Iterable<StoredObject> {
    return this.#byName.get(type)?.values() ?? [];
  }

  /** Objects below a parent, by type. */
  childrenOf(uuid: string): ReadonlyMap<string, ReadonlySet<StoredObject>> {
    return this.#children.get(uuid) ?? new Map();
  }

  /** Objects that refer to an object, by type. */
  referrersOf(uuid: string): ReadonlyMap<string, ReadonlySet<StoredObject>> {
    return this.#referrers.get(uuid) ?? new Map();
  }

  add(object: StoredObject): void {
    this.#byUuid.set(object.uuid, object);
    const names = this.#byName.get(object.type) ?? new Map<string, StoredObject>();
    this.#byName.set(object.type, names.set(joinedName(object.fqName), object));
    if (object.parent?.uuid !== undefined) enter(this.#children, object.parent.uuid, object);
    this.linkReferences(object);
  }

  remove(object: StoredObject): void {
    this.unlinkReferences(object);
    this.#byUuid.delete(object.uuid);
    this.#byName.get(object.type)?.delete(joinedName(object.fqName));
    if (object.parent?.uuid !== undefined) leave(this.#children, object.parent.uuid, object);
    this.#children.delete(object.uuid);
  }

  /** Call before an object's references change, and `linkReferences` after. */
  unlinkReferences(object: StoredObject): void {
    for (const references of object.references.values()) for (const { uuid } of references) leave(this.#referrers, uuid, object);
  }

  linkReferences(object: StoredObject): void {
    for (const references of object.references.values()) for (const { uuid } of references) enter(this.#referrers, uuid, object);
  }
}

type Index = Map<string, Map<string, Set<StoredObject>>>;

function enter(index: Index, key: string, object: StoredObject): void {
  const types = index.get(key) ?? new Map<string, Set<StoredObject>>();
  index.set(key, types);
  const objects = types.get(object.type) ?? new Set();
  types.set(object.type, objects.add(object));
}

function leave(index: Index, key: string, object: StoredObject): void {
  const types = index.get(key);
  const objects = types?.get(object.type);
  objects?.delete(object);
  if (objects?.size === 0) types?.delete(object.type);
  if (types?.size === 0) index.delete(key);
}
