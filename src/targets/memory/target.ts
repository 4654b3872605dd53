import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import { copySubtrees } from "../../core/tree/copy-subtrees.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { Unfenced } from "../../engine/fence.js";
import type { Lock, Opened, PendingAndLocks } from "../../engine/target.js";
import type { Locks, Snapshots, Writer, WriteTarget } from "../../engine/write-target.js";
import type { Attribution } from "../../plan/diff/change.js";
import type { Capabilities, Identity, PendingChange, View } from "../../plan/platform.js";
import { MemoryCommits } from "./commits.js";
import { Configurations } from "./configurations.js";

export interface MemoryTargetOptions {
  readonly name: string;
  readonly shape: Shape;
  /** Root element. It is copied. */
  readonly tree: TreeNode;
  /** Capabilities. Default: all. */
  readonly capabilities?: Partial<Capabilities>;
  readonly identity?: Partial<Identity>;
  /** Plumbline's account. Default: `plumbline`. */
  readonly administrator?: string;
  /** Whether each operation is refused if it leaves an unresolved reference or an empty match list. */
  readonly checkReferences?: boolean;
  /** Clock of the target, format `yyyy/mm/dd hh:mm:ss`. */
  readonly clock?: () => string;
  /** Called before each write, so that tests can simulate a concurrent writer. */
  readonly beforeWrite?: (target: MemoryTarget, batch: readonly Operation[]) => void;
}

const ALL: Capabilities = {
  candidate: true,
  atomicBatch: true,
  move: true,
  rename: true,
  locks: true,
  changeList: true,
  partialCommit: true,
  partialRevert: true,
  validate: true,
  maxRequestBytes: 5_000_000,
  maxBatchOperations: 500,
  maxPendingChanges: undefined,
};

/** The reference target: trees in memory that apply operations like a firewall, with the same `tree/edit/edit-tree.ts`. */
export class MemoryTarget implements WriteTarget {
  readonly kind = "memory";
  readonly name: string;
  readonly shape: Shape;
  readonly capabilities: Capabilities;
  readonly configurations: Configurations;
  readonly pendingAndLocks: PendingAndLocks = { pending: async () => this.#pending(), locks: async () => this.#locks };
  readonly writer: Unfenced<Writer>;
  /** Completed writes, in order. */
  readonly requests: (readonly Operation[])[] = [];
  readonly #options: MemoryTargetOptions;
  readonly #administrator: string;
  readonly #clock: () => string;
  readonly #snapshots = new Map<string, TreeNode>();
  #locks: Lock[] = [];

  constructor(options: MemoryTargetOptions) {
    this.#options = options;
    this.name = options.name;
    this.shape = options.shape;
    this.capabilities = { ...ALL, ...options.capabilities };
    this.#administrator = options.administrator ?? "plumbline";
    this.#clock = options.clock ?? (() => "1970/01/01 00:00:00");
    const { shape, tree } = options;
    this.configurations = new Configurations(tree, { shape, checkReferences: options.checkReferences ?? false, clock: this.#clock });
    const { candidate, locks } = this.capabilities;
    this.writer = new Unfenced<Writer>({
      write: (batch) => this.#write(batch),
      ...(locks && { locks: this.#locking() }),
      ...(candidate && { commits: new MemoryCommits(this.configurations, this.#administrator), snapshots: this.#saving() }),
    });
  }

  async open(): Promise<Opened> {
    const unknown: Identity = { serial: undefined, model: undefined, version: undefined, hostname: undefined, role: "standalone" };
    return { identity: { ...unknown, ...this.#options.identity }, capabilities: this.capabilities };
  }

  async read(subtrees: readonly Path[], view: View): Promise<TreeNode> {
    const { candidate, running } = this.configurations;
    return copySubtrees(this.capabilities.candidate && view === "running" ? running : candidate, subtrees);
  }

  async attribution(_path: Path, node: TreeNode | undefined): Promise<Attribution | undefined> {
    const admin = node?.attributes?.get("admin");
    return admin === undefined ? undefined : { admin, time: node?.attributes?.get("time") };
  }

  async status(): Promise<ReadonlyMap<string, string>> {
    return new Map([
      ["name", this.name],
      ["kind", this.kind],
      ["pending", String(this.configurations.pending.length)],
    ]);
  }

  async close(): Promise<void> {}

  async administrator(): Promise<string> {
    return this.#administrator;
  }

  /** Takes the lock as another administrator. */
  lockAs(administrator: string, comment: string): void {
    this.#locks = [{ kind: "config", scope: "shared", owner: administrator, comment, created: this.#clock() }];
  }

  /** Writes as another administrator. Without a candidate, the change is running immediately. */
  writeAs(administrator: string, batch: readonly Operation[]): void {
    this.configurations.write(batch, administrator, this.capabilities.atomicBatch);
    if (!this.capabilities.candidate) this.configurations.commit(undefined);
  }

  #pending(): PendingChange[] {
    return this.configurations.pending.map(({ administrator, operation }) => ({
      owner: administrator,
      xpath: (operation.action === "set" ? operation.at : (operation.at.parent ?? operation.at)).toString(),
      action: operation.action.toUpperCase(),
    }));
  }

  async #write(batch: readonly Operation[]): Promise<void> {
    this.#options.beforeWrite?.(this, batch);
    this.writeAs(this.#administrator, batch);
    this.requests.push(batch);
  }

  #locking(): Locks {
    return {
      lock: async (comment) => {
        const held = this.#locks[0];
        if (held !== undefined) throw locked(this.name, held.owner);
        this.lockAs(this.#administrator, comment);
      },
      unlock: async () => {
        this.#locks = this.#locks.filter((lock) => lock.owner !== this.#administrator);
      },
      breakLock: async (lock) => {
        this.#locks = this.#locks.filter((held) => held !== lock);
      },
    };
  }

  /** Saves the running configuration. */
  #saving(): Snapshots {
    return {
      save: async (name) => {
        this.#snapshots.set(name, this.configurations.running);
        return true;
      },
      load: async (name) => this.#snapshots.get(name),
      remove: async (name) => {
        this.#snapshots.delete(name);
        return true;
      },
    };
  }
}

function locked(target: string, owner: string): PlumblineError {
  return new PlumblineError("locked-by-other", `${owner} holds the lock.`, {
    where: { target },
    next: "Wait until the lock is released, or ask its owner.",
    severity: "refused",
  });
}
