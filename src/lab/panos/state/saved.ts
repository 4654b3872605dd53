import type { TreeNode } from "../../../core/tree/node.js";
import type { PendingEdit } from "./change.js";

/** A committed configuration, as `show config audit` lists it. */
export interface Version {
  readonly time: string;
  readonly admin: string;
  readonly description: string;
  readonly root: TreeNode;
  /** Edits since the previous version. Undefined if the version was not committed edit by edit. */
  readonly edits?: readonly PendingEdit[];
}

/** Configurations saved by name, and the versions that commits created. All share their unchanged nodes. */
export class SavedConfigurations {
  readonly byName = new Map<string, TreeNode>();
  readonly #versions: Version[];

  constructor(first: Version) {
    this.#versions = [first];
  }

  /** Oldest first. The version number is the index plus 1. */
  get versions(): readonly Version[] {
    return this.#versions;
  }

  addVersion(version: Version): void {
    this.#versions.push(version);
  }
}
