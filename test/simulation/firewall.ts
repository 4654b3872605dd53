import { PlumblineError } from "../../src/core/errors.js";
import type { Operation } from "../../src/core/operation.js";
import { cloneTree } from "../../src/core/tree/edit/edit-tree.js";
import { find } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import type { Lock } from "../../src/engine/target.js";
import { Configurations, type Pending } from "../../src/targets/memory/configurations.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { LIST } from "./documents.js";
import { hasPlace, otherEntries, ruleNames } from "./rules.js";
import type { Scheduler } from "./scheduler.js";

/** The events of a firewall, in order, the only input of the checker. */
export type DeviceEvent = { readonly at: number } & (
  | { readonly kind: "write"; readonly admin: string; readonly source: string; readonly isLate: boolean; readonly lock: string | undefined }
  | {
      /** `commit-began`, `commit-failed`: the job of a commit began, or failed. */
      readonly kind: "revert" | "lock" | "unlock" | "break-lock" | "commit-began" | "commit-failed";
      readonly admin: string;
      readonly source: string;
      readonly isLate: boolean;
    }
  | {
      readonly kind: "commit";
      readonly admin: string;
      readonly source: string;
      readonly isLate: boolean;
      readonly lock: string | undefined;
      readonly description: string;
      /** The time when its job started, and when its sender last checked for jobs of others. */
      readonly began: number;
      readonly looked: number;
      readonly carried: readonly Pending[];
      readonly before: ReadonlyMap<string, string>;
      readonly after: ReadonlyMap<string, string>;
      /** Names of the rules in their order. */
      readonly rulesBefore: readonly string[];
      readonly rules: readonly string[];
    }
  | { readonly kind: "restart" }
);

type EventWithoutTime = DeviceEvent extends infer Each ? (Each extends DeviceEvent ? Omit<Each, "at"> : never) : never;

export interface Job {
  readonly id: number;
  readonly sender: Sender;
  readonly admin: string;
  readonly description: string;
  state: "active" | "ok" | "failed";
  lines: readonly string[];
}

/** The sender: a process, and whether it no longer waits for the reply. */
export interface Sender {
  readonly admin: string;
  readonly source: string;
  readonly isLate: boolean;
  /** The time when it was sent; undefined if it arrives immediately. */
  readonly sent?: number;
}

export interface FirewallTraits {
  /** It has locks; runs on one without are kept apart by a lease. */
  readonly hasLocks: boolean;
  /** Commits include only one administrator's changes. */
  readonly partialCommit: boolean;
  /** A commit takes its administrator's locks along. */
  readonly commitDropsLocks: boolean;
  /** Milliseconds that a commit job takes. */
  readonly jobDuration: number;
}

const SCOPE = "vsys1";

/** A firewall with several administrators, a candidate, locks and jobs. Everything in it happens at a moment of the simulation. */
export class Firewall {
  configurations: Configurations;
  locks: Lock[] = [];
  readonly jobs: Job[] = [];
  readonly events: DeviceEvent[] = [];
  /** Unreachable until then. */
  downUntil = 0;
  /** The time when each process last read the uncommitted changes. */
  readonly looks: { readonly at: number; readonly source: string }[] = [];
  failNextCommit = false;
  /** The author of the last committed change of an entry, by name, as in the configuration log. */
  readonly changed = new Map<string, { readonly admin: string; readonly time: string }>();
  /** Events right when the next commit of an administrator arrives, and right after it was executed. */
  readonly atNextCommit = new Map<string, () => void>();
  readonly afterNextCommit = new Map<string, (() => void)[]>();
  /** Called once, before the next lock of an administrator and after the next write. */
  readonly beforeNextLock = new Map<string, () => void>();
  readonly afterNextWrite = new Map<string, () => void>();
  readonly serial: string;
  readonly traits: FirewallTraits;
  /** Values and rules before the first run. */
  readonly initial: ReadonlyMap<string, string>;
  readonly initialRules: readonly string[];
  readonly #saved = new Map<string, TreeNode>();
  readonly #scheduler: Scheduler;

  constructor(tree: TreeNode, traits: FirewallTraits, scheduler: Scheduler, serial = "0001") {
    this.serial = serial;
    this.traits = traits;
    this.#scheduler = scheduler;
    this.configurations = new Configurations(tree, { shape: panosShape(), checkReferences: false, clock: () => this.clock });
    this.initial = this.entries;
    this.initialRules = this.rules;
  }

  /** `yyyy/mm/dd hh:mm:ss`. */
  get clock(): string {
    return new Date(Date.UTC(2026, 0, 5) + this.#scheduler.now).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
  }

  get isDown(): boolean {
    return this.#scheduler.now < this.downUntil;
  }

  /** Values of the running configuration by name: addresses, actions of rules, and addresses of the second virtual system. */
  get entries(): ReadonlyMap<string, string> {
    const { running } = this.configurations;
    const list = find(running, LIST)?.children ?? [];
    const addresses = list.map((entry): [string, string] => [entry.name ?? "", entry.children.map((leaf) => leaf.text).join(" ")]);
    return new Map([...addresses, ...otherEntries(running)]);
  }

  /** Names of the running rules in their order. */
  get rules(): readonly string[] {
    return ruleNames(this.configurations.running);
  }

  /** Whether the second virtual system exists. */
  get hasPlace(): boolean {
    return hasPlace(this.configurations.running);
  }

  /** Writes and commits as an administrator, regardless of locks. */
  force(sender: Sender, operations: readonly Operation[]): void {
    this.configurations.write(operations, sender.admin, true);
    this.#note({ kind: "write", ...sender, lock: this.lockMark });
    this.commitNow(sender, "repair");
  }

  /** Of an administrator, in order of creation. */
  pendingOf(admin: string): readonly Pending[] {
    return this.configurations.pending.filter(({ administrator }) => administrator === admin);
  }

  /** Comment of the lock. */
  get lockMark(): string | undefined {
    return this.locks[0]?.comment;
  }

  write(sender: Sender, operations: readonly Operation[]): void {
    this.#refuseLocked(sender.admin);
    this.configurations.write(operations, sender.admin, true);
    this.#note({ kind: "write", ...sender, lock: this.lockMark });
    callOnce(this.afterNextWrite, sender.admin);
  }

  revert(sender: Sender): void {
    this.configurations.revert(sender.admin);
    this.#note({ kind: "revert", ...sender });
  }

  lock(sender: Sender, comment: string): void {
    const [held] = this.locks;
    if (held !== undefined) throw deviceRefuses("device-locked", `${held.owner} already holds the lock of ${held.scope}`);
    callOnce(this.beforeNextLock, sender.admin);
    this.locks.push({ kind: "config", scope: SCOPE, owner: sender.admin, comment, created: this.clock });
    this.#note({ kind: "lock", ...sender });
  }

  unlock(sender: Sender): void {
    this.locks = this.locks.filter(({ owner }) => owner !== sender.admin);
    this.#note({ kind: "unlock", ...sender });
  }

  breakLock(sender: Sender, comment: string): void {
    const before = this.locks.length;
    this.locks = this.locks.filter((lock) => lock.comment !== comment);
    if (this.locks.length < before) this.#note({ kind: "break-lock", ...sender });
  }

  /** Starts a commit job. Undefined if there is nothing to commit. */
  commit(sender: Sender, description: string): Job | undefined {
    callOnce(this.atNextCommit, sender.admin);
    return this.#begin(sender, description, this.traits.jobDuration);
  }

  /** Commits in a job that takes no time. */
  commitNow(sender: Sender, description: string): void {
    this.#begin(sender, description, undefined);
  }

  #begin(sender: Sender, description: string, duration: number | undefined): Job | undefined {
    const carried = this.configurations.pending.filter(({ administrator }) => !this.traits.partialCommit || administrator === sender.admin);
    if (carried.length === 0) return undefined;
    const job: Job = { id: this.jobs.length + 1, sender, admin: sender.admin, description, state: "active", lines: [] };
    this.jobs.push(job);
    this.#note({ kind: "commit-began", ...sender });
    const { now } = this.#scheduler;
    const { source, sent = now } = sender;
    const looked = this.looks.findLast((look) => look.source === source && look.at <= sent)?.at ?? now;
    const began = { began: now, looked, lock: this.lockMark };
    if (duration === undefined) this.#finish(job, sender, began);
    else this.#scheduler.in(duration, () => this.#finish(job, sender, began));
    return job;
  }

  onceCommitted(admin: string, happen: () => void): void {
    this.afterNextCommit.set(admin, [...(this.afterNextCommit.get(admin) ?? []), happen]);
  }

  listPending({ source }: Sender): readonly Pending[] {
    this.looks.push({ at: this.#scheduler.now, source });
    return this.configurations.pending;
  }

  save(name: string): void {
    this.#saved.set(name, cloneTree(this.configurations.running));
  }

  forget(name: string): void {
    this.#saved.delete(name);
  }

  load(name: string): TreeNode | undefined {
    return this.#saved.get(name);
  }

  /** The candidate, locks and running jobs are lost. The device is unreachable for a while. */
  restart(away: number): void {
    const tree = this.configurations.running;
    this.configurations = new Configurations(tree, { shape: panosShape(), checkReferences: false, clock: () => this.clock });
    this.locks = [];
    for (const job of this.jobs) if (job.state === "active") this.#fail(job, "The job was ended by a restart");
    this.downUntil = this.#scheduler.now + away;
    this.#note({ kind: "restart" });
  }

  #finish(job: Job, sender: Sender, began: Pick<Extract<DeviceEvent, { kind: "commit" }>, "began" | "looked" | "lock">): void {
    if (job.state !== "active") return;
    if (this.failNextCommit) {
      this.failNextCommit = false;
      this.#fail(job, "The commit failed for a reason of the device");
      return;
    }
    const [before, rulesBefore] = [this.entries, this.rules];
    const { partialCommit, commitDropsLocks } = this.traits;
    const carried = this.configurations.pending.filter(({ administrator }) => !partialCommit || administrator === sender.admin);
    try {
      this.configurations.commit(partialCommit ? sender.admin : undefined);
    } catch (error) {
      // A partial commit cannot move a rule that another administrator has not committed.
      this.#fail(job, error instanceof Error ? error.message : String(error));
      return;
    }
    if (commitDropsLocks) this.locks = this.locks.filter(({ owner }) => owner !== sender.admin);
    end(job, "ok", "Configuration committed successfully");
    const [after, rules] = [this.entries, this.rules];
    for (const name of new Set([...before.keys(), ...after.keys()]))
      if (before.get(name) !== after.get(name)) this.changed.set(name, { admin: sender.admin, time: this.clock });
    for (const { administrator: admin, operation } of carried)
      if (operation.at.name !== undefined) this.changed.set(operation.at.name, { admin, time: this.clock });
    this.#note({ kind: "commit", ...sender, ...began, description: job.description, carried, before, after, rulesBefore, rules });
    const happen = this.afterNextCommit.get(sender.admin) ?? [];
    this.afterNextCommit.delete(sender.admin);
    for (const each of happen) each();
  }

  #fail(job: Job, line: string): void {
    end(job, "failed", line);
    this.#note({ kind: "commit-failed", ...job.sender });
  }

  #refuseLocked(admin: string): void {
    const theirs = this.locks.find(({ owner }) => owner !== admin);
    if (theirs !== undefined) throw deviceRefuses("device-locked", `The configuration is locked by ${theirs.owner}`);
  }

  #note(event: EventWithoutTime): void {
    this.events.push({ at: this.#scheduler.now, ...event } as DeviceEvent);
  }
}

function callOnce(calls: Map<string, () => void>, admin: string): void {
  const call = calls.get(admin);
  calls.delete(admin);
  call?.();
}

function end(job: Job, state: Job["state"], line: string): void {
  job.state = state;
  job.lines = [line];
}

function deviceRefuses(code: string, message: string): PlumblineError {
  return new PlumblineError(code, message, { next: "Look at the device.", severity: "refused" });
}
