import type { TreeNode } from "../../../core/tree/node.js";
import type { PendingEdit } from "./change.js";

/** A committed configuration, as `show config audit` lists them. */
export interface Version {
  readonly time: string;
  readonly admin: string;
  readonly description: string;
  readonly root: TreeNode;
  /** What made it of the version before; left out of one that was not committed edit by edit. */
  readonly edits?: readonly PendingEdit[];
}

/** Configurations saved under a name, and the versions that commits made; all share what did not change. */
export class SavedConfigurations {
  readonly byName = new Map<string, TreeNode>();
  readonly #versions: Version[];

  constructor(first: Version) {
    this.#versions = [first];
  }

  /** Oldest first; the version number is the index plus 1. */
  get versions(): readonly Version[] {
    return this.#versions;
  }

  addVersion(version: Version): void {
    this.#versions.push(version);
  }
}
