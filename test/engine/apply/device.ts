import { applyOperation } from "../../../src/core/apply-operation.js";
import { PlumblineError } from "../../../src/core/errors.js";
import type { Operation } from "../../../src/core/operation.js";
import { cloneTree, UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Lock } from "../../../src/engine/target.js";

/** One uncommitted write of one administrator. */
export interface DeviceChange {
  readonly admin: string;
  readonly operation: Operation;
}

export interface DeviceJob {
  readonly id: number;
  readonly admin: string;
  readonly description: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
}

/** The events on the device, in order. Checkers read nothing else. */
export type DeviceEvent =
  | { readonly kind: "write"; readonly admin: string; readonly operation: Operation }
  | { readonly kind: "commit"; readonly admin: string; readonly carried: readonly DeviceChange[] }
  | { readonly kind: "revert" | "lock" | "unlock" | "break-lock" | "snapshot"; readonly admin: string };

/** A device in memory with several administrators, a change list, locks and jobs, for tests of apply. */
export class Device {
  running: TreeNode;
  pending: DeviceChange[] = [];
  readonly locks: Lock[] = [];
  readonly jobs: DeviceJob[] = [];
  readonly events: DeviceEvent[] = [];
  /** Configurations saved under a name. */
  readonly saved = new Map<string, TreeNode>();
  serial = "0001";
  role: "standalone" | "active" | "passive" = "standalone";
  /** Some platforms keep a lock when its holder commits. */
  keepsLocks = false;
  /** Lines of the failure of the next commit job. */
  failNextCommit: readonly string[] | undefined;
  failNextValidation: readonly string[] | undefined;
  /** Changes stored values like a device that normalizes them. */
  normalise: (operation: Operation) => Operation = (operation) => operation;

  /** Place of a change in the list; some platforms use their own text. */
  placeInWords: (change: DeviceChange) => string = ({ operation: { at } }) => (at.name === undefined ? at : (at.parent ?? at)).toString();

  constructor(running: TreeNode) {
    this.running = running;
  }

  get candidate(): TreeNode {
    return replayed(this.running, this.pending);
  }

  /** Atomic, like a transaction. */
  write(admin: string, operations: readonly Operation[]): void {
    const foreign = this.locks.find((lock) => lock.kind === "config" && lock.owner !== admin && covers(lock, operations));
    if (foreign !== undefined) throw refused(`Config for scope ${foreign.scope} is currently locked by ${foreign.owner}`);
    const stored = operations.map(this.normalise);
    const trial = this.candidate;
    for (const operation of stored) applyOperation(trial, operation, new UndoLog());
    for (const operation of stored) {
      this.pending.push({ admin, operation });
      this.events.push({ kind: "write", admin, operation });
    }
  }

  commit(admin: string, description: string, partial: boolean): DeviceJob | undefined {
    const carried = this.pending.filter((change) => !partial || change.admin === admin);
    if (carried.length === 0) return undefined;
    const failure = this.failNextCommit;
    this.failNextCommit = undefined;
    const job = {
      id: this.jobs.length + 1,
      admin,
      description,
      ok: failure === undefined,
      lines: failure ?? ["Configuration committed successfully"],
    };
    this.jobs.push(job);
    if (failure !== undefined) return job;
    this.running = replayed(this.running, carried);
    this.pending = this.pending.filter((change) => !carried.includes(change));
    this.events.push({ kind: "commit", admin, carried });
    if (!this.keepsLocks) this.drop(admin);
    return job;
  }

  revert(admin: string): void {
    this.pending = this.pending.filter((change) => change.admin !== admin);
    this.events.push({ kind: "revert", admin });
  }

  /** Locks go with a commit, as on devices. */
  drop(admin: string): void {
    for (let i = this.locks.length - 1; i >= 0; i--) if (this.locks[i]?.owner === admin) this.locks.splice(i, 1);
  }
}

export function refused(message: string): PlumblineError {
  return new PlumblineError("device-error", message, { next: "Look at the device." });
}

function replayed(base: TreeNode, changes: readonly DeviceChange[]): TreeNode {
  const tree = cloneTree(base);
  for (const { operation } of changes) applyOperation(tree, operation, new UndoLog());
  return tree;
}

function covers(lock: Lock, operations: readonly Operation[]): boolean {
  return lock.scope === "shared" || operations.some(({ at }) => at.steps().some((step) => step.name === lock.scope));
}
