/** What a platform can do. Declared or asked of the platform, never guessed from the text of an error. */
export interface Capabilities {
  /** There is a candidate beside the running configuration, and a commit between them. */
  readonly candidate: boolean;
  /** Several operations as one transaction. */
  readonly atomicBatch: boolean;
  readonly move: boolean;
  readonly rename: boolean;
  /**
   * Whether what refers to an object still does so once the platform has renamed it, as where it refers by id. Undefined:
   * nobody knows, and an object in use is copied under its new name instead, as with `no`.
   */
  readonly renameKeepsReferences?: "yes" | "no" | undefined;
  readonly locks: boolean;
  /** Pending changes can be listed by owner. */
  readonly changeList: boolean;
  /** Where they cannot: the platform says at least whether there are any. */
  readonly pendingCheck?: boolean;
  /** What is running cannot be read apart from the candidate, which is answered for both. */
  readonly runningUnreadable?: boolean;
  /** A commit can be limited to one administrator's changes. */
  readonly partialCommit: boolean;
  /** The candidate can be set back to running for one administrator. */
  readonly partialRevert: boolean;
  readonly validate: boolean;
  /** Refuses a batch (`device-busy`, nothing of it done) as long as a commit runs or waits, unless our account has something uncommitted. */
  readonly refusesBesideCommit?: boolean;
  /**
   * Objects stand for themselves (clouds): an operation that fails takes nothing back and stops only those that need what
   * it would have made; the run then ends as partly applied. Otherwise the first failure stops the run.
   */
  readonly independentObjects?: boolean;
  /** Operations that follow one another inside one entry that carries a mark are one write. */
  readonly wholeObjectWrites?: boolean;
  /** Lists whose new objects are made several at a time: one names objects of the lists before its own, and of its own those before it. */
  readonly madeTogether?: { readonly lists: readonly string[]; readonly most: number };
  readonly maxRequestBytes: number;
  readonly maxBatchOperations: number;
  /** Uncommitted operations that the platform holds at most; undefined for no known ceiling. */
  readonly maxPendingChanges: number | undefined;
}

/** Which box answered. Compared with `identity` of the configuration on every pass. */
export interface Identity {
  readonly serial: string | undefined;
  readonly model: string | undefined;
  readonly version: string | undefined;
  readonly hostname: string | undefined;
  /** `active` and `standalone` may be written to. */
  readonly role: "standalone" | "active" | "passive" | "suspended" | "unknown";
}

/** One uncommitted change on the platform. */
export interface PendingChange {
  readonly owner: string;
  /** XPath of the container, as the platform says it. */
  readonly xpath: string;
  readonly action: string;
}
