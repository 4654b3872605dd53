import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, textAt } from "../../../core/json/value.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { ContrailClient } from "../client/client.js";
import { createObject, readObject } from "../client/objects.js";
import { type ControllerRefusal, refusalError } from "../client/refusal.js";
import { nameParts, objectShape, PARENT, parentTypeOf, ROOT_PATH, typeOf } from "../collections.js";
import { annotationsFor, ownerOf } from "../owner-marks.js";
import { objectUuid } from "../uuid.js";
import { fieldValue, withIds } from "./fields.js";
import { pairsOf } from "./update.js";

/**
 * Creates an object with a uuid derived from its owner and name, and with our mark. If the reply is lost, or an object with that name or id
 * exists, the object is read: our own object counts as created, an object of another owner is refused, and an unreadable one is a
 * permission error (docs/contributing/apply.md#killed-on-a-controller). At most one object ever exists.
 * @returns The uuid.
 */
export async function create(client: ContrailClient, collection: string, entry: TreeNode): Promise<string> {
  const making = new Making(client, collection, entry);
  const refusal = await making.create();
  if (refusal === undefined) return making.uuid;
  if (refusal !== "lost" && refusal.reason !== "exists") throw making.refused(refusal);
  const uuid = refusal === "lost" ? making.uuid : (/already exists with uuid: ([0-9a-f-]{36})/.exec(refusal.words)?.[1] ?? making.uuid);
  if (await making.isThere(uuid, refusal)) return uuid;
  // The object does not exist. A second try cannot create a duplicate, because the uuid is the same.
  const second = await making.create();
  if (second === undefined || (second === "lost" && (await making.isThere(making.uuid, second)))) return making.uuid;
  throw second === "lost" ? making.lost() : making.refused(second);
}

class Making {
  readonly uuid: string;
  readonly #client: ContrailClient;
  readonly #collection: string;
  readonly #name: string;
  readonly #owner: string;
  readonly #document: JsonObject;

  constructor(client: ContrailClient, collection: string, entry: TreeNode) {
    this.#client = client;
    this.#collection = collection;
    this.#name = entry.name ?? "";
    this.#owner = childByTag(entry, "owner")?.text ?? "";
    if (this.#owner === "") throw this.#notThere();
    this.uuid = objectUuid(this.#owner, typeOf(collection), this.#name);
    this.#document = this.#documentOf(entry);
  }

  #documentOf(entry: TreeNode): JsonObject {
    const shape = objectShape(this.#collection);
    const fields = entry.children.map(({ tag }) => tag).filter((tag) => tag !== "owner" && tag !== "annotations" && tag !== PARENT);
    return {
      uuid: this.uuid,
      fq_name: nameParts(this.#name),
      parent_type: parentTypeOf(this.#collection),
      annotations: annotationsFor(this.#owner, this.#name, pairsOf(entry)),
      ...Object.fromEntries(fields.map((tag) => [tag, fieldValue(tag, entry, shape, {})])),
    };
  }

  async create(): Promise<ControllerRefusal | "lost" | undefined> {
    try {
      const type = typeOf(this.#collection);
      return await createObject(this.#client, type, await withIds(this.#client, type, this.#document));
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "reply-lost") return "lost";
      throw error;
    }
  }

  /** Returns true if the object exists and carries our mark. Throws if it belongs to another owner or is unreadable. */
  async isThere(uuid: string, refusal: ControllerRefusal | "lost"): Promise<boolean> {
    const result = await readObject(this.#client, typeOf(this.#collection), uuid);
    if (result.kind === "found") {
      if (ownerOf(result.object.document, this.#name) === this.#owner) return true;
      throw this.#anothers(result.object.document);
    }
    if (result.kind === "hidden") throw this.#hidden(result.refusal.words);
    if (refusal !== "lost") throw this.#hidden(refusal.words);
    return false;
  }

  refused(refusal: ControllerRefusal): PlumblineError {
    return refusalError(refusal, `to make ${this.#name}`, this.#client.place);
  }

  lost(): PlumblineError {
    return new PlumblineError("reply-lost", `The reply to the create of ${this.#name} was lost twice, and it does not exist.`, {
      where: this.#where(),
      next: "Run again: the controller is read before anything is repeated.",
    });
  }

  #anothers(document: JsonObject): PlumblineError {
    const owner = ownerOf(document, this.#name);
    const mark = owner === undefined ? "nobody's mark" : `the mark of "${owner}"`;
    return new PlumblineError("controller-not-ours", `${this.#name} already exists (${textAt(document, "uuid") ?? ""}) and has ${mark}.`, {
      where: this.#where(),
      next: owner === undefined ? "Run again, with $adopt: true to take it over." : "Leave it to its owner, or choose another name.",
      severity: "refused",
    });
  }

  #hidden(words: string): PlumblineError {
    return new PlumblineError("controller-permission", `${this.#name} exists, but this account may not read it: ${words}`, {
      where: this.#where(),
      next: "Give the account read permission for the object, or remove it from the desired state.",
    });
  }

  #notThere(): PlumblineError {
    return new PlumblineError("controller-object-missing", `${this.#name} does not exist, and a part of an object cannot be created.`, {
      where: this.#where(),
      next: "Remove $partial to create the complete object, or have its owner create it first.",
    });
  }

  #where() {
    return { target: this.#client.place.target, xpath: ROOT_PATH.child(this.#collection).entry(this.#name).toString() };
  }
}
