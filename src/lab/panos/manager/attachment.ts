import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import type { PendingEdit } from "../state/change.js";

/** What a firewall was handed of one kind, as it tells its manager. */
export interface Delivered {
  readonly sum: string;
  /** The manager's version that was running then. */
  readonly version: string;
  readonly tree: TreeNode;
  readonly basis: Basis;
}

/** Of which of the manager's edits it was made: all up to a version, and some of those since. */
export interface Basis {
  readonly version: number;
  readonly edits: ReadonlySet<PendingEdit>;
  /** Whose numbers those are. */
  readonly manager: LabDevice;
}

/** Everything a manager ever handed to a firewall that still counts. */
export interface Handed {
  /** By virtual system. */
  readonly policies: ReadonlyMap<string, Delivered>;
  readonly shared: TreeNode | undefined;
  readonly template: Delivered | undefined;
}

const NOTHING_HANDED: Handed = { policies: new Map(), shared: undefined, template: undefined };

/** What a test makes of the next pushes to a firewall, until it says otherwise. */
export type PushTrouble =
  | { readonly kind: "fails"; readonly lines: readonly string[] }
  /** It takes the configuration and is never heard of again. */
  | { readonly kind: "never-answers" }
  /** Milliseconds that its commit takes. */
  | { readonly kind: "slow"; readonly duration: number }
  /** The job has no row for it. */
  | { readonly kind: "left-out" }
  /** The commit goes well, and the firewall then goes back to what it had before. `says`: it tells so as a failure, which nobody recorded. */
  | { readonly kind: "reverts"; readonly says?: readonly string[] }
  /** It says that it has all, and what bears this name is not among it; nothing is where none is said. */
  | { readonly kind: "loses"; readonly name?: string };

/** What the last push of each kind came to, in the words of the manager. */
export interface LastPush {
  readonly state: string;
  readonly at: string;
}

/** What stands between a firewall and its manager. */
export class Attachment {
  readonly manager: LabDevice;
  readonly last = new Map<"commit-sp" | "validate-sp" | "commit-tpl" | "validate-tpl", LastPush>();
  isConnected = true;
  connectedAt: string;
  handed: Handed = NOTHING_HANDED;
  trouble: PushTrouble | undefined;

  constructor(manager: LabDevice) {
    this.manager = manager;
    this.connectedAt = manager.now();
  }
}
