import { PlumblineError } from "../../../src/core/errors.js";
import { cloneTree, setAt, UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import { find } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import type { Path } from "../../../src/core/tree/path.js";
import { Unfenced } from "../../../src/engine/fence.js";
import type { PendingAndLocks } from "../../../src/engine/target.js";
import type { Commits, Locks, Snapshots, Writer, WriteTarget } from "../../../src/engine/write-target.js";
import type { Capabilities, View } from "../../../src/plan/platform.js";
import { panosShape } from "../../../src/targets/panos/shape.js";
import { type Device, refused } from "./device.js";

export const ALL: Capabilities = {
  candidate: true,
  atomicBatch: true,
  move: true,
  rename: true,
  locks: true,
  changeList: true,
  partialCommit: true,
  partialRevert: true,
  validate: true,
  maxRequestBytes: 1_000_000,
  maxBatchOperations: 1000,
  maxPendingChanges: undefined,
};

/** The operations that the specification offers. */
export const SPECIFICATION: Capabilities = {
  ...ALL,
  atomicBatch: false,
  move: false,
  rename: false,
  locks: false,
  changeList: false,
  partialCommit: false,
  partialRevert: false,
  validate: false,
  maxBatchOperations: 1,
};

export type Call =
  | "open"
  | "read"
  | "pending"
  | "locks"
  | "lock"
  | "unlock"
  | "breakLock"
  | "snapshot"
  | "removeSnapshot"
  | "write"
  | "validate"
  | "commit"
  | "revert"
  | "settleJobs";

/** Decides the result of a call: it may throw instead of executing it, or afterwards. */
export interface Wire {
  before?(call: Call): void;
  after?(call: Call): void;
}

export function replyLost(): PlumblineError {
  return new PlumblineError("reply-lost", "the reply was lost", { next: "Run again." });
}

/** One administrator's connection to a device in memory. */
export class DeviceTarget implements WriteTarget {
  readonly name: string;
  readonly kind = "panos";
  readonly shape = panosShape();
  readonly pendingAndLocks: PendingAndLocks = {
    pending: async () =>
      this.#call("pending", () =>
        this.#device.pending.map((change) => ({
          owner: change.admin,
          xpath: this.#device.placeInWords(change),
          action: change.operation.action.toUpperCase(),
        })),
      ),
    locks: async () => this.#call("locks", () => [...this.#device.locks]),
  };
  readonly writer: Unfenced<Writer> = new Unfenced<Writer>({
    write: async (batch) => this.#call("write", () => this.#device.write(this.#admin, batch)),
    locks: this.#locking(),
    commits: this.#committing(),
    snapshots: this.#saving(),
  });
  readonly #device: Device;
  readonly #admin: string;
  readonly #capabilities: Capabilities;
  readonly #wire: Wire;

  constructor(name: string, device: Device, options: { admin?: string; capabilities?: Capabilities; wire?: Wire } = {}) {
    this.name = name;
    this.#device = device;
    this.#admin = options.admin ?? "netops";
    this.#capabilities = options.capabilities ?? ALL;
    this.#wire = options.wire ?? {};
  }

  async open() {
    return this.#call("open", () => {
      const { serial, role } = this.#device;
      const identity = { serial, model: "PA-VM", version: "11.1.0", hostname: "edge", role } as const;
      return { identity, capabilities: this.#capabilities };
    });
  }

  async read(subtrees: readonly Path[], view: View): Promise<TreeNode> {
    return this.#call("read", () => {
      const source = view === "candidate" ? this.#device.candidate : this.#device.running;
      const root = new TreeNode("config");
      for (const path of subtrees) {
        const node = find(source, path);
        if (node !== undefined && path.parent !== undefined) setAt(root, path.parent, [cloneTree(node)], new UndoLog());
      }
      return root;
    });
  }

  async attribution() {
    return undefined;
  }

  async status() {
    return new Map([["serial", this.#device.serial]]);
  }

  async close() {}

  async administrator() {
    return this.#admin;
  }

  #locking(): Locks {
    return {
      lock: async (comment) =>
        this.#call("lock", () => {
          const { locks, events } = this.#device;
          if (locks.some((lock) => lock.scope === "vsys1")) throw refused("You already own a config lock for scope vsys1");
          locks.push({ kind: "config", scope: "vsys1", owner: this.#admin, comment, created: undefined });
          events.push({ kind: "lock", admin: this.#admin });
        }),
      unlock: async () =>
        this.#call("unlock", () => {
          this.#device.drop(this.#admin);
          this.#device.events.push({ kind: "unlock", admin: this.#admin });
        }),
      breakLock: async (lock) =>
        this.#call("breakLock", () => {
          const at = this.#device.locks.indexOf(lock);
          if (at !== -1) this.#device.locks.splice(at, 1);
          this.#device.events.push({ kind: "break-lock", admin: this.#admin });
        }),
    };
  }

  #saving(): Snapshots {
    return {
      save: async (name) =>
        this.#call("snapshot", () => {
          this.#device.saved.set(name, this.#device.candidate);
          this.#device.events.push({ kind: "snapshot", admin: this.#admin });
          return true;
        }),
      load: async (name) => this.#call("read", () => this.#device.saved.get(name)),
      remove: async (name) =>
        this.#call("removeSnapshot", () => {
          this.#device.saved.delete(name);
          return true;
        }),
    };
  }

  #committing(): Commits {
    return {
      validate: async () =>
        this.#call("validate", () => {
          const lines = this.#device.failNextValidation;
          this.#device.failNextValidation = undefined;
          return { outcome: lines === undefined ? "committed" : "failed", job: undefined, lines: lines ?? [] };
        }),
      commit: async ({ description, partial }) =>
        this.#call("commit", () => {
          const job = this.#device.commit(this.#admin, description, partial);
          if (job === undefined) return { outcome: "nothing", job: undefined, lines: ["There are no changes to commit."] };
          return { outcome: job.ok ? "committed" : "failed", job: String(job.id), lines: job.lines };
        }),
      revert: async () => this.#call("revert", () => this.#device.revert(this.#admin)),
      settleJobs: async (prefix) =>
        this.#call("settleJobs", () =>
          this.#device.jobs
            .filter((job) => job.admin === this.#admin && job.description.startsWith(prefix))
            .map(({ id, description, ok, lines }) => ({ job: String(id), description, ok, lines })),
        ),
    };
  }

  #call<T>(name: Call, work: () => T): T {
    this.#wire.before?.(name);
    const result = work();
    this.#wire.after?.(name);
    return result;
  }
}
