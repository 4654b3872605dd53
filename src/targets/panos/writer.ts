import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { Unfenced } from "../../engine/fence.js";
import type { OnDoubt, Opened, PendingAndLocks } from "../../engine/target.js";
import type { TargetMemory } from "../../engine/target-memory.js";
import type { Commits, Locks, Pushes, Snapshots, Writes, WriteTarget } from "../../engine/write-target.js";
import type { View } from "../../plan/platform.js";
import { OwnName } from "./administrator.js";
import { CandidateCommits } from "./commit/candidate-commits.js";
import type { PanosDependencies, PanosOptions } from "./dependencies.js";
import { readLocks } from "./locks.js";
import { readPending } from "./pending.js";
import { FirewallPushes } from "./push/firewall-pushes.js";
import { PanosReader } from "./reader.js";
import { deviceEntry } from "./scope.js";
import type { PanosTargetConfiguration } from "./settings.js";
import { Batches } from "./write/batches.js";
import { DeviceLocks } from "./write/device-locks.js";
import { SavedConfigurations } from "./write/saved-configurations.js";
import type { WriterParts } from "./write/writer-parts.js";

const JOB_TIMEOUT = 60 * 60_000;
const JOB_SILENCE = 3 * 60_000;

interface Roles extends Writes {
  readonly locks: Locks;
  readonly commits: Commits;
  readonly snapshots: Snapshots;
  readonly pushes?: Pushes;
}

/**
 * Reads and writes one firewall. `apply` calls `open` before it writes and before it commits, to read the identity and role of the device
 * again.
 */
export class PanosWriter extends PanosReader implements WriteTarget {
  readonly writer: Unfenced<Roles>;
  override readonly pendingAndLocks: PendingAndLocks = {
    pending: async () => this.#counted(await readPending(await this.session.current())),
    locks: async (kind) => {
      const locks = await readLocks(await this.session.current(), kind);
      const own = locks.find(({ comment }) => comment !== "" && comment === this.#locks.held?.trim());
      if (own !== undefined) await this.#name.seen(own.owner);
      return this.#counted(locks);
    },
  };
  readonly #name: OwnName;
  readonly #locks: DeviceLocks;
  #vsys: readonly Path[] = [];
  #groups: readonly Path[] = [];

  constructor(configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions = {}) {
    super(configuration, dependencies, options);
    this.#name = new OwnName(this.session, configuration, dependencies.devices);
    const bounds = { jobTimeout: options.jobTimeout ?? JOB_TIMEOUT, jobSilence: options.jobSilence ?? JOB_SILENCE };
    const parts: WriterParts = { session: this.session, dependencies, name: this.#name, wrote: false };
    const batches = new Batches(parts);
    this.#locks = new DeviceLocks(parts, () => ({ vsys: this.#vsys, deviceGroups: this.#groups }));
    this.writer = new Unfenced<Roles>({
      write: (batch, pending) => batches.write(batch, pending),
      locks: this.#locks,
      commits: new CandidateCommits(parts, bounds, configuration.push !== undefined),
      ...(configuration.push === undefined ? {} : { pushes: new FirewallPushes(parts, configuration.push, bounds.jobSilence) }),
      snapshots: new SavedConfigurations(this.session),
    });
  }

  /** If no earlier run learned the administrator name, its request runs in parallel with the others: a writer always needs it. */
  override async open(memory?: TargetMemory): Promise<Opened> {
    await this.session.recall(memory);
    this.#name.begin();
    const opened = await super.open();
    await this.#counted(opened.pending ?? []);
    return opened;
  }

  override async read(subtrees: readonly Path[], view: View, onDoubt?: OnDoubt): Promise<TreeNode> {
    const tree = await super.read(subtrees, view, onDoubt);
    this.#vsys = withAll(this.#vsys, entriesOf(tree, deviceEntry.child("vsys")));
    this.#groups = withAll(this.#groups, entriesOf(tree, deviceEntry.child("device-group")));
    return tree;
  }

  async administrator(): Promise<string> {
    return await this.#name.get();
  }

  /** Changes and locks of administrators are only returned after the device has confirmed this run's administrator name. */
  async #counted<Row>(rows: readonly Row[]): Promise<readonly Row[]> {
    if (rows.length > 0) await this.#name.judges();
    return rows;
  }
}

export function openPanosWriter(
  configuration: PanosTargetConfiguration,
  dependencies: PanosDependencies,
  options: PanosOptions = {},
): PanosWriter {
  return new PanosWriter(configuration, dependencies, options);
}

function entriesOf(tree: TreeNode, list: Path): Path[] {
  return (find(tree, list)?.children ?? []).flatMap(({ name }) => (name === undefined ? [] : [list.entry(name)]));
}

function withAll(known: readonly Path[], more: readonly Path[]): readonly Path[] {
  const missing = more.filter((path) => !known.some((each) => each.equals(path)));
  return missing.length === 0 ? known : [...known, ...missing];
}
