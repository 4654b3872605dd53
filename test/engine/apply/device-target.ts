import { PlumblineError } from "../../../src/core/errors.js";
import type { Operation } from "../../../src/core/operation.js";
import { cloneTree, setAt, UndoLog } from "../../../src/core/tree/edit.js";
import { find } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import type { Path } from "../../../src/core/tree/path.js";
import type { CommitResult, Lock, View, WriteTarget } from "../../../src/engine/target.js";
import type { Capabilities } from "../../../src/plan/platform.js";
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

/** What the specification alone offers. */
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
  | "write"
  | "validate"
  | "commit"
  | "revert"
  | "settleJobs";

/** Decides what becomes of a call: it may throw instead of executing, or after it. */
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
  readonly shape = panosShape;
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

  async pending() {
    return this.#call("pending", () =>
      this.#device.pending.map((change) => ({
        owner: change.admin,
        xpath: this.#device.placeInWords(change),
        action: change.operation.action.toUpperCase(),
      })),
    );
  }

  async locks(): Promise<readonly Lock[]> {
    return this.#call("locks", () => [...this.#device.locks]);
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

  async lock(comment: string): Promise<void> {
    return this.#call("lock", () => {
      const { locks, events } = this.#device;
      if (locks.some((lock) => lock.scope === "vsys1")) throw refused("You already own a config lock for scope vsys1");
      locks.push({ kind: "config", scope: "vsys1", owner: this.#admin, comment, created: undefined });
      events.push({ kind: "lock", admin: this.#admin });
    });
  }

  async unlock(): Promise<void> {
    return this.#call("unlock", () => {
      this.#device.drop(this.#admin);
      this.#device.events.push({ kind: "unlock", admin: this.#admin });
    });
  }

  async breakLock(lock: Lock): Promise<void> {
    return this.#call("breakLock", () => {
      const at = this.#device.locks.indexOf(lock);
      if (at !== -1) this.#device.locks.splice(at, 1);
      this.#device.events.push({ kind: "break-lock", admin: this.#admin });
    });
  }

  async snapshot(name: string): Promise<void> {
    return this.#call("snapshot", () => {
      this.#device.saved.set(name, this.#device.candidate);
      this.#device.events.push({ kind: "snapshot", admin: this.#admin });
    });
  }

  async savedTree(name: string): Promise<TreeNode | undefined> {
    return this.#call("read", () => this.#device.saved.get(name));
  }

  async write(batch: readonly Operation[]): Promise<void> {
    return this.#call("write", () => this.#device.write(this.#admin, batch));
  }

  async validate(): Promise<CommitResult> {
    return this.#call("validate", () => {
      const lines = this.#device.failNextValidation;
      this.#device.failNextValidation = undefined;
      return { outcome: lines === undefined ? "committed" : "failed", job: undefined, lines: lines ?? [] };
    });
  }

  async commit({ description, partial }: { description: string; partial: boolean }): Promise<CommitResult> {
    return this.#call("commit", () => {
      const job = this.#device.commit(this.#admin, description, partial);
      if (job === undefined) return { outcome: "nothing", job: undefined, lines: ["There are no changes to commit."] };
      return { outcome: job.ok ? "committed" : "failed", job: String(job.id), lines: job.lines };
    });
  }

  async revert(): Promise<void> {
    return this.#call("revert", () => this.#device.revert(this.#admin));
  }

  async settleJobs(prefix: string) {
    return this.#call("settleJobs", () =>
      this.#device.jobs
        .filter((job) => job.admin === this.#admin && job.description.startsWith(prefix))
        .map(({ id, description, ok, lines }) => ({ job: String(id), description, ok, lines })),
    );
  }

  #call<T>(name: Call, work: () => T): T {
    this.#wire.before?.(name);
    const result = work();
    this.#wire.after?.(name);
    return result;
  }
}
