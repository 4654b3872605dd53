import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import type { PendingEdit } from "../state/change.js";

/** State of one kind of pushed configuration, as the firewall reports it to its manager. */
export interface Delivered {
  readonly sum: string;
  /** Version of the manager's running configuration at that time. */
  readonly version: string;
  readonly tree: TreeNode;
  readonly basis: Basis;
}

/** The manager's edits that it contains: all edits up to `version`, and `edits` after that. */
export interface Basis {
  readonly version: number;
  readonly edits: ReadonlySet<PendingEdit>;
  /** Manager to which the version number belongs. */
  readonly manager: LabDevice;
}

/** Pushed configuration that is active on a firewall. */
export interface PushedConfiguration {
  /** By name of the virtual system. */
  readonly policies: ReadonlyMap<string, Delivered>;
  readonly shared: TreeNode | undefined;
  readonly template: Delivered | undefined;
}

const NOTHING_HANDED: PushedConfiguration = { policies: new Map(), shared: undefined, template: undefined };

/** Fault that a test injects into pushes to a firewall. It stays until the test changes it. */
export type PushTrouble =
  | { readonly kind: "fails"; readonly lines: readonly string[] }
  /** The firewall accepts the configuration and never reports a result. */
  | { readonly kind: "never-answers" }
  /** Duration of the firewall's commit in milliseconds. */
  | { readonly kind: "slow"; readonly duration: number }
  /** The job has no row for the firewall. */
  | { readonly kind: "left-out" }
  /**
   * The commit succeeds, and the firewall then reverts to its former configuration. With `says`, it reports a failure; the text was
   * never recorded from a device.
   */
  | { readonly kind: "reverts"; readonly says?: readonly string[] }
  /** The firewall reports success but loses the objects with this name. Without a name, it loses all. */
  | { readonly kind: "loses"; readonly name?: string };

/** Result of the last push of each kind, in the manager's format. */
export interface LastPush {
  readonly state: string;
  readonly at: string;
}

/** Relation of a firewall to its manager. */
export class Attachment {
  readonly manager: LabDevice;
  readonly last = new Map<"commit-sp" | "validate-sp" | "commit-tpl" | "validate-tpl", LastPush>();
  isConnected = true;
  connectedAt: string;
  handed: PushedConfiguration = NOTHING_HANDED;
  trouble: PushTrouble | undefined;

  constructor(manager: LabDevice) {
    this.manager = manager;
    this.connectedAt = manager.now();
  }
}
