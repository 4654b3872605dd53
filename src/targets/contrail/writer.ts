import { PlumblineError } from "../../core/errors.js";
import { type JsonObject, textAt } from "../../core/json/value.js";
import type { Operation } from "../../core/operation.js";
import { reveal } from "../../core/secret.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { Unfenced } from "../../engine/fence.js";
import type { Writes, WriteTarget } from "../../engine/write-target.js";
import { deleteObject, idOf, readObject } from "./client/objects.js";
import { refusalError } from "./client/refusal.js";
import { nameParts, ROOT_PATH, typeOf } from "./collections.js";
import { ownerOf } from "./owner-marks.js";
import { etagOf } from "./read/known-objects.js";
import { ContrailReader } from "./reader.js";
import { isHiddenFromUsers, isSystemObject } from "./system-objects.js";
import { create } from "./write/create.js";
import { byObject, isCompleteObject, type ObjectOperations } from "./write/object-operations.js";
import { update } from "./write/update.js";

/**
 * Writes to a network controller. Each write takes effect immediately. Each object is read again just before a write or delete, because the
 * controller ignores `If-Match`.
 */
export class ContrailWriter extends ContrailReader implements WriteTarget {
  readonly writer = new Unfenced<Writes>({ write: (batch) => this.#write(batch) });
  /** Uuids of objects that this run created or changed since the last read. The plan's version of them is outdated. */
  readonly #written = new Map<string, string>();

  override async read(subtrees: readonly Path[]): Promise<TreeNode> {
    const tree = await super.read(subtrees);
    this.#written.clear();
    return tree;
  }

  /** Returns the account of our requests. */
  async administrator(): Promise<string> {
    const { auth } = this.client.connection;
    return auth.kind === "basic" ? reveal(auth.username) : "plumbline";
  }

  /** Consecutive operations on one object become one request. */
  async #write(batch: readonly Operation[]): Promise<void> {
    for (const group of byObject(batch)) {
      this.#refuseSystemObject(group.name, group.collection);
      for (const part of parts(group)) await this.#writePart(part);
    }
  }

  async #writePart({ collection, name, operations }: ObjectOperations): Promise<void> {
    const [first] = operations;
    if (first === undefined) return;
    if (first.action === "delete" && isCompleteObject(first)) return await this.#delete(collection, name);
    if (first.action === "edit" && isCompleteObject(first)) {
      await this.#delete(collection, name);
      return await this.#create(collection, name, first);
    }
    const uuid = this.#uuidOf(collection, name);
    if (uuid === undefined && first.action === "set" && isCompleteObject(first)) {
      await this.#create(collection, name, first);
      if (operations.length > 1) await this.#writePart({ collection, name, operations: operations.slice(1) });
      return;
    }
    await this.#update({ collection, name, operations }, uuid ?? (await idOf(this.client, typeOf(collection), nameParts(name))));
  }

  async #create(collection: string, name: string, operation: Operation): Promise<void> {
    if (operation.action !== "set" && operation.action !== "edit") return;
    this.#remember(collection, name, await create(this.client, collection, operation.element));
  }

  async #update(group: ObjectOperations, uuid: string): Promise<void> {
    const { collection, name } = group;
    const planned = this.#written.has(`${collection}/${name}`) ? undefined : this.known.get(collection, name);
    const fresh = await this.#fresh(collection, name, uuid, planned);
    if (fresh === undefined) throw this.#missing(collection, name);
    this.#remember(collection, name, uuid);
    await update(this.client, { collection, name, planned, fresh }, group.operations);
  }

  async #delete(collection: string, name: string): Promise<void> {
    const type = typeOf(collection);
    const uuid = this.#uuidOf(collection, name) ?? (await idOf(this.client, type, nameParts(name)));
    const planned = this.known.get(collection, name);
    const fresh = await this.#fresh(collection, name, uuid, planned);
    if (fresh !== undefined) {
      const owner = ownerOf(fresh, name);
      if (owner === undefined || isHiddenFromUsers(fresh) || (planned !== undefined && ownerOf(planned, name) !== owner)) {
        throw this.#notOwned(collection, name);
      }
      const refusal = await deleteObject(this.client, type, uuid);
      if (refusal !== undefined) throw refusalError(refusal, `to delete ${name}`, this.client.place);
    }
    this.known.forget(collection, name);
    this.#written.delete(`${collection}/${name}`);
  }

  /** Returns the current object, or the planned one if its ETag is unchanged. Undefined if it does not exist. */
  async #fresh(collection: string, name: string, uuid: string, planned: JsonObject | undefined): Promise<JsonObject | undefined> {
    const result = await readObject(this.client, typeOf(collection), uuid, planned === undefined ? undefined : etagOf(planned));
    switch (result.kind) {
      case "found":
        return result.object.document;
      case "unchanged":
        return planned;
      case "absent":
        return undefined;
      case "hidden":
        throw refusalError(result.refusal, `to read ${name}`, this.client.place);
    }
  }

  #uuidOf(collection: string, name: string): string | undefined {
    const known = this.known.get(collection, name);
    return this.#written.get(`${collection}/${name}`) ?? (known === undefined ? undefined : textAt(known, "uuid"));
  }

  #remember(collection: string, name: string, uuid: string): void {
    this.#written.set(`${collection}/${name}`, uuid);
  }

  #refuseSystemObject(name: string, collection: string): void {
    if (!isSystemObject(name)) return;
    throw new PlumblineError("controller-system-object", `${name} is an object that the controller itself lives by.`, {
      where: { target: this.name, xpath: ROOT_PATH.child(collection).entry(name).toString() },
      next: "Remove it from the desired state.",
      severity: "refused",
    });
  }

  #notOwned(collection: string, name: string): PlumblineError {
    return new PlumblineError("controller-not-ours", `${name} no longer has Plumbline's mark: it is not deleted.`, {
      where: { target: this.name, xpath: ROOT_PATH.child(collection).entry(name).toString() },
      next: "Check who took the object over.",
      severity: "refused",
    });
  }

  #missing(collection: string, name: string): PlumblineError {
    return new PlumblineError("controller-object-changed", `${name} was deleted after it was read.`, {
      where: { target: this.name, xpath: ROOT_PATH.child(collection).entry(name).toString() },
      next: "Run again: the new plan uses the current state.",
    });
  }
}

/** Splits the `edit` of an entry inside an object (for example a subnet) into one write without the entry and one with it. */
function parts({ collection, name, operations }: ObjectOperations): ObjectOperations[] {
  return operations.reduce<ObjectOperations[]>(
    (made, operation) => {
      const { at } = operation;
      if (operation.action !== "edit" || at.name === undefined || at.parent === undefined || isCompleteObject(operation)) {
        if (isCompleteObject(operation)) made.push({ collection, name, operations: [] });
        made.at(-1)?.operations.push(operation);
        return made;
      }
      made.at(-1)?.operations.push({ action: "delete", at });
      made.push({ collection, name, operations: [{ action: "set", at: at.parent, element: operation.element }] });
      return made;
    },
    [{ collection, name, operations: [] }],
  );
}
