import type { JsonObject } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { WriteContext } from "../write/context.js";

/** An object to change. */
export interface Change {
  readonly path: Path;
  readonly id: string;
  /** The object as just read. */
  readonly object: JsonObject;
  readonly before: TreeNode;
  readonly after: TreeNode;
  /** Children of the entry that differ. */
  readonly tags: ReadonlySet<string>;
}

/** An object to create. */
export interface NewObject {
  readonly entry: TreeNode;
  readonly path: Path;
}

/** Writes objects of one list. */
export interface ObjectWriter {
  /** Creates the object of an entry with its mark, and adds it to the inventory. */
  create(entry: TreeNode, path: Path, context: WriteContext): Promise<void>;
  /** Creates several objects, if possible with one request. Resolves with the errors in order. */
  createTogether?(news: readonly NewObject[], context: WriteContext): Promise<readonly (Error | undefined)[]>;
  /** Sends the differences. Throws OpenstackError `changed` if the object has changed since it was read. */
  update(change: Change, context: WriteContext): Promise<void>;
  /** Deletes the object, and resolves when it no longer exists. */
  remove(object: JsonObject, path: Path, context: WriteContext): Promise<void>;
  /**
   * Reads the object again, with the additional data of its entry: all of it, or only that for the children `tags`. Undefined if it does
   * not exist.
   */
  fresh(id: string, context: WriteContext, tags?: ReadonlySet<string>): Promise<JsonObject | undefined>;
}
