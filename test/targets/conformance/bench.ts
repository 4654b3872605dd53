import type { Operation } from "../../../src/core/operation.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Path } from "../../../src/core/tree/path.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";

/** A platform of its own for one case, and where on it the case may work. */
export interface Bench {
  /** Each time a connection of its own to the same platform. */
  connect(): WriteTarget;
  /** A list of entries; none of those that cases make is there. */
  readonly list: Path;
  /** A list without entries, or that is not there. */
  readonly empty: Path;
  /** The name of an entry, from a short word. */
  named(word: string): string;
  /** A whole entry. */
  entry(name: string, text: string): TreeNode;
  /** The leaf of it that `text` stands in. */
  readonly leaf: string;
  /** A leaf that entries need not have, with another text than they have without it. */
  readonly more: TreeNode;
  /** What the platform refuses, whatever stands there. */
  readonly refused: Operation;
  /** Of a platform on which entries have an order: makes sure that there is a list of two, and says where. */
  ordered?(): Path;
  /** Of a platform that tells administrators apart: another one. */
  readonly other?: Other;
  /** Of a platform behind a wire: the reply to the next such request is lost on its way back. */
  loseReply?(of: "write" | "commit"): void;
  close(): Promise<void>;
}

interface Other {
  readonly name: string;
  lock(): Promise<void> | void;
  /** Makes an entry in `list` that is not committed. */
  write(entry: TreeNode): Promise<void> | void;
}
