/** The configuration of a target that is read. They are equal for platforms without a candidate. */
export type View = "candidate" | "running";

/** Abilities of a platform. Declared or queried, never derived from the text of an error. */
export interface Capabilities {
  /** The platform has a candidate and a running configuration, and commits between them. */
  readonly candidate: boolean;
  /** Software version, if required fields depend on it. */
  readonly version?: string | undefined;
  /** The platform applies several operations as one transaction. */
  readonly atomicBatch: boolean;
  readonly move: boolean;
  readonly rename: boolean;
  /**
   * Whether references still lead to an object after the platform has renamed it, for example references by id. Undefined means unknown.
   * With `no` or undefined, an object in use is copied under its new name instead.
   */
  readonly renameKeepsReferences?: "yes" | "no" | undefined;
  readonly locks: boolean;
  /** The platform lists pending changes by owner. */
  readonly changeList: boolean;
  /** Set if `changeList` is false but the platform reports whether there are pending changes. */
  readonly pendingCheck?: boolean;
  /** The running configuration cannot be read separately: both reads return the candidate. */
  readonly runningUnreadable?: boolean;
  /** A commit can be limited to one administrator's changes. */
  readonly partialCommit: boolean;
  /** The candidate can be set back to running for one administrator. */
  readonly partialRevert: boolean;
  readonly validate: boolean;
  /**
   * Objects are independent (clouds). A failed operation reverts nothing and stops only operations that need its object; the run then ends
   * as partly applied. Otherwise the first failure stops the run.
   */
  readonly independentObjects?: boolean;
  /** Consecutive operations inside one marked entry are one write. */
  readonly completeObjectWrites?: boolean;
  /**
   * Lists whose new objects are created several at a time. An object may refer to objects of earlier lists, and to earlier objects of its
   * own list.
   */
  readonly madeTogether?: { readonly lists: readonly string[]; readonly most: number };
  readonly maxRequestBytes: number;
  readonly maxBatchOperations: number;
  /** Maximum number of uncommitted operations. Undefined if no limit is known. */
  readonly maxPendingChanges: number | undefined;
}

/** Identity of the device that answered. Compared with `identity` of the configuration on every pass. */
export interface Identity {
  readonly serial: string | undefined;
  readonly model: string | undefined;
  readonly version: string | undefined;
  readonly hostname: string | undefined;
  /** Only `active` and `standalone` devices are written to. */
  readonly role: "standalone" | "active" | "passive" | "suspended" | "unknown";
}

/** One uncommitted change on the platform. */
export interface PendingChange {
  readonly owner: string;
  /** XPath of the container, as the platform reports it. */
  readonly xpath: string;
  readonly action: string;
}
