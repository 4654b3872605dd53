import { PlumblineError } from "../../src/core/errors.js";
import { copySubtrees } from "../../src/core/tree/copy-subtrees.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import type { Path } from "../../src/core/tree/path.js";
import { Unfenced } from "../../src/engine/fence.js";
import type { PendingAndLocks } from "../../src/engine/target.js";
import type {
  CommitOptions,
  CommitResult,
  Commits,
  Locks,
  Progress,
  SettledJob,
  Snapshots,
  Writer,
  WriteTarget,
} from "../../src/engine/write-target.js";
import type { Capabilities, Identity, View } from "../../src/plan/platform.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { ALL } from "../engine/apply/device-target.js";
import type { Firewall, Job, Sender } from "./firewall.js";
import type { Scheduler } from "./scheduler.js";
import type { RequestKind, Wire } from "./wire.js";

/** Milliseconds. */
const POLL = 1_000;
/** Maximum number of polls of a job. */
const LOOKS = 20;

/** A connection of one process to a simulated firewall, under one administrator's name. */
export class FirewallTarget implements WriteTarget {
  readonly kind = "panos";
  readonly name: string;
  readonly shape = panosShape();
  readonly pendingAndLocks: PendingAndLocks = {
    pending: () =>
      this.#ask("read", (sender) =>
        this.#firewall.listPending(sender).map(({ administrator, operation }) => ({
          owner: administrator,
          xpath: operation.at.toString(),
          action: operation.action.toUpperCase(),
        })),
      ),
    locks: () => this.#ask("read", () => [...this.#firewall.locks]),
  };
  readonly writer: Unfenced<Writer> = new Unfenced<Writer>({
    write: (batch) => this.#ask("change", (sender) => this.#firewall.write(sender, batch)),
    locks: this.#locking(),
    commits: this.#committing(),
    snapshots: this.#saving(),
  });
  readonly #connected: () => Firewall;
  /** The device that this connection logged in to. */
  #device: Firewall | undefined;
  readonly #wire: Wire;
  readonly #scheduler: Scheduler;
  readonly #admin: string;
  readonly #source: string;

  constructor(name: string, connected: () => Firewall, wire: Wire, scheduler: Scheduler, admin: string) {
    this.name = name;
    this.#connected = connected;
    this.#wire = wire;
    this.#scheduler = scheduler;
    this.#admin = admin;
    this.#source = scheduler.process?.name ?? "nobody";
  }

  async open(): Promise<{ identity: Identity; capabilities: Capabilities }> {
    return await this.#ask("read", () => {
      const { serial, traits } = this.#firewall;
      const identity: Identity = { serial, model: "PA-VM", version: "11.1.0", hostname: "edge", role: "standalone" };
      return { identity, capabilities: { ...ALL, partialCommit: traits.partialCommit, locks: traits.hasLocks } };
    });
  }

  /** The device of this connection. Another device refuses the API key of this one. */
  get #firewall(): Firewall {
    const device = this.#connected();
    this.#device ??= device;
    if (device === this.#device) return device;
    throw new PlumblineError("device-error", "the device does not know this API key", { next: "Run again." });
  }

  async read(subtrees: readonly Path[], view: View): Promise<TreeNode> {
    return await this.#ask("read", () => {
      const { candidate, running } = this.#firewall.configurations;
      return copySubtrees(view === "running" ? running : candidate, subtrees);
    });
  }

  readonly logs = { deviceTime: async () => this.#firewall.clock, records: async () => [], async *pages() {} };

  /** From the device's own log, which also contains the authors of deletions. */
  async attribution(path: Path) {
    const name = path.steps().findLast((step) => step.name !== undefined)?.name ?? "";
    return await this.#ask("read", () => this.#firewall.changed.get(name));
  }

  async status(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  async close(): Promise<void> {}

  async administrator(): Promise<string> {
    return this.#admin;
  }

  async #ask<T>(kind: RequestKind, work: (sender: Sender) => T): Promise<T> {
    return await this.#wire.send(kind, (isLate, sent) => work({ admin: this.#admin, source: this.#source, isLate, sent }));
  }

  #locking(): Locks {
    return {
      lock: (comment) => this.#ask("write", (sender) => this.#firewall.lock(sender, comment)),
      unlock: () => this.#ask("write", (sender) => this.#firewall.unlock(sender)),
      breakLock: ({ comment }) => this.#ask("write", (sender) => this.#firewall.breakLock(sender, comment)),
    };
  }

  #saving(): Snapshots {
    return {
      save: (name) =>
        this.#ask("write", () => {
          this.#firewall.save(name);
          return true;
        }),
      remove: (name) =>
        this.#ask("write", () => {
          this.#firewall.forget(name);
          return true;
        }),
      load: (name) => this.#ask("read", () => this.#firewall.load(name)),
    };
  }

  #committing(): Commits {
    return {
      validate: () => this.#ask("read", () => ({ outcome: "committed", job: undefined, lines: [] })),
      commit: (options) => this.#commit(options),
      revert: () => this.#ask("write", (sender) => this.#firewall.revert(sender)),
      settleJobs: (prefix, progress) => this.#settleJobs(prefix, progress),
    };
  }

  async #commit({ description }: CommitOptions): Promise<CommitResult> {
    const job = await this.#ask("commit", (sender) => this.#firewall.commit(sender, description));
    if (job === undefined) return { outcome: "nothing", job: undefined, lines: ["There are no changes to commit."] };
    await this.#watch(job);
    return { outcome: job.state === "ok" ? "committed" : "failed", job: String(job.id), lines: job.lines };
  }

  /** A device that restarts is given the time to come back. */
  async #watch(job: Job): Promise<void> {
    for (let silent = 0; silent < LOOKS; ) {
      await this.#scheduler.wait(POLL);
      try {
        if ((await this.#ask("read", () => job.state)) !== "active") return;
        silent = 0;
      } catch {
        silent += 1;
      }
    }
    throw new PlumblineError("reply-lost", "what became of the job cannot be told", { next: "Run again." });
  }

  async #settleJobs(prefix: string, progress: Progress): Promise<readonly SettledJob[]> {
    const ours = () => this.#firewall.jobs.filter((job) => job.admin === this.#admin);
    for (;;) {
      const jobs = await this.#ask("jobs", () => ours().map((job) => ({ ...job })));
      if (jobs.every(({ state }) => state !== "active")) {
        return jobs
          .filter(({ description }) => description.startsWith(prefix))
          .map(({ id, description, state, lines }) => ({ job: String(id), description, ok: state === "ok", lines }));
      }
      for (const { id } of jobs.filter(({ state }) => state === "active")) progress({ job: String(id), percent: undefined, status: "ACT" });
      await this.#scheduler.wait(POLL);
    }
  }
}
