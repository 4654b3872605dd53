import type { JsonObject } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { WriteContext } from "../write/context.js";

/** An object that is to be changed. */
export interface Change {
  readonly path: Path;
  readonly id: string;
  /** As it was just read. */
  readonly object: JsonObject;
  readonly before: TreeNode;
  readonly after: TreeNode;
  /** Children of the entry that differ. */
  readonly tags: ReadonlySet<string>;
}

/** An object that is to be made. */
export interface NewObject {
  readonly entry: TreeNode;
  readonly path: Path;
}

/** How one kind of object is written. */
export interface ObjectWriter {
  /** Makes the object of an entry at `path`, with its mark, and adds it to the inventory. */
  create(entry: TreeNode, path: Path, context: WriteContext): Promise<void>;
  /** The same for several, by one request where all is well. Resolves with what failed, in their order. */
  createTogether?(news: readonly NewObject[], context: WriteContext): Promise<readonly (Error | undefined)[]>;
  /** Sends what differs and nothing else. Throws OpenstackError `changed` where the object is another than was read. */
  update(change: Change, context: WriteContext): Promise<void>;
  /** Removes it; resolves when it is gone. */
  remove(object: JsonObject, path: Path, context: WriteContext): Promise<void>;
  /**
   * The object as it is now, with what its entry is made from beside it: all of that, or what `tags`, children of the entry,
   * need. Undefined where it is gone.
   */
  fresh(id: string, context: WriteContext, tags?: ReadonlySet<string>): Promise<JsonObject | undefined>;
}
