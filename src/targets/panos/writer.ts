import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { Unfenced } from "../../engine/fence.js";
import type { OnDoubt, Opened, View } from "../../engine/target.js";
import type { TargetMemory } from "../../engine/target-memory.js";
import type { Commits, Locks, Pushes, Snapshots, Writes, WriteTarget } from "../../engine/write-target.js";
import { askAdministrator } from "./administrator.js";
import { CandidateCommits } from "./commit/candidate-commits.js";
import type { PanosDependencies, PanosOptions } from "./dependencies.js";
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

/** Reads and writes one firewall. Who answers, and in which role, is asked with `open` again: by `apply`, before it writes and before it commits. */
export class PanosWriter extends PanosReader implements WriteTarget {
  readonly writer: Unfenced<Roles>;
  readonly #configuration: PanosTargetConfiguration;
  #vsys: readonly Path[] = [];
  #groups: readonly Path[] = [];
  #administrator: Promise<string> | undefined;

  constructor(configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions = {}) {
    super(configuration, dependencies, options);
    this.#configuration = configuration;
    const bounds = { jobTimeout: options.jobTimeout ?? JOB_TIMEOUT, jobSilence: options.jobSilence ?? JOB_SILENCE };
    const parts: WriterParts = { session: this.session, dependencies, administrator: () => this.administrator(), wrote: false };
    const batches = new Batches(parts);
    this.writer = new Unfenced<Roles>({
      write: (batch, pending) => batches.write(batch, pending),
      locks: new DeviceLocks(parts, () => ({ vsys: this.#vsys, deviceGroups: this.#groups })),
      commits: new CandidateCommits(parts, bounds, configuration.push !== undefined),
      ...(configuration.push === undefined ? {} : { pushes: new FirewallPushes(parts, configuration.push, bounds.jobSilence) }),
      snapshots: new SavedConfigurations(this.session),
    });
  }

  /** Our own name is asked for beside the rest: whoever opens a writer needs it. */
  override async open(memory?: TargetMemory): Promise<Opened> {
    await this.session.recall(memory);
    // What fails is said to whoever asks for the name.
    this.administrator().catch(() => undefined);
    return await super.open();
  }

  override async read(subtrees: readonly Path[], view: View, onDoubt?: OnDoubt): Promise<TreeNode> {
    const tree = await super.read(subtrees, view, onDoubt);
    this.#vsys = withAll(this.#vsys, entriesOf(tree, deviceEntry.child("vsys")));
    this.#groups = withAll(this.#groups, entriesOf(tree, deviceEntry.child("device-group")));
    return tree;
  }

  async administrator(): Promise<string> {
    this.#administrator ??= this.session.chosen().then((client) => askAdministrator(client, this.#configuration));
    return await this.#administrator;
  }
}

/** A firewall to write to. */
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
