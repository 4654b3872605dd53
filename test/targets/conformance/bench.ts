import type { Operation } from "../../../src/core/operation.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Path } from "../../../src/core/tree/path.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";

/** A separate platform for one case, and the places on it that the case may use. */
export interface Bench {
  /** Each time a connection of its own to the same platform. */
  connect(): WriteTarget;
  /** A list of entries, without any that the cases create. */
  readonly list: Path;
  /** A list without entries, or a missing one. */
  readonly empty: Path;
  /** The name of an entry, from a short word. */
  named(word: string): string;
  /** A complete entry. */
  entry(name: string, text: string): TreeNode;
  /** The leaf of it that contains `text`. */
  readonly leaf: string;
  /** A leaf that entries need not have, with another text than they have without it. */
  readonly more: TreeNode;
  /** A write that the platform always refuses. */
  readonly refused: Operation;
  /** On a platform with ordered entries: ensures that there is a list of two, and returns its place. */
  ordered?(): Path;
  /** On a platform that distinguishes administrators: another one. */
  readonly other?: Other;
  /** On a platform behind a network: the reply to the next such request is lost. */
  loseReply?(of: "write" | "commit"): void;
  close(): Promise<void>;
}

interface Other {
  readonly name: string;
  lock(): Promise<void> | void;
  /** Creates an uncommitted entry in `list`. */
  write(entry: TreeNode): Promise<void> | void;
}
