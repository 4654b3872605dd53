import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { protectSecrets } from "../../core/tree/stored-secrets.js";
import type { PanosTargetConfiguration } from "../../desired/configuration.js";
import type { CommitResult, Lock, Progress, View, WriteTarget } from "../../engine/target.js";
import { askAdministrator } from "./administrator.js";
import { saysUnknownCommand, succeeded } from "./client/reply.js";
import { changingOp, op } from "./client/request.js";
import { commitCommand, revertOwnChanges, saveConfiguration, showSaved, validateFull, validateOwn } from "./commands.js";
import { runJob } from "./commit/enqueue.js";
import { settleJobs } from "./commit/settle-jobs.js";
import type { WatchBounds } from "./commit/watch-job.js";
import type { PanosDependencies, PanosOptions } from "./dependencies.js";
import { requireSuccess } from "./device-errors.js";
import { PanosReader } from "./reader.js";
import { deviceEntry } from "./scope.js";
import { panosShape } from "./shape.js";
import { breakLock, giveBackLocks, takeLock } from "./write/config-lock.js";
import { sendAtomic, sendSingly } from "./write/send-batch.js";

const JOB_TIMEOUT = 60 * 60_000;
const JOB_SILENCE = 3 * 60_000;

/** Longest name of a saved configuration (docs/devices/panos.md#commits-and-jobs). */
const SNAPSHOT_NAME_LENGTH = 32;

const NOT_PUSHED = "committed on the manager: its firewalls get it by a push, which is not done here";

/** Reads and writes one firewall. Who answers, and in which role, is asked with `open` again: by `apply`, before it writes and before it commits. */
export class PanosWriter extends PanosReader implements WriteTarget {
  readonly #configuration: PanosTargetConfiguration;
  readonly #bounds: WatchBounds;
  /** Parts that are locked by themselves, as they were last read: virtual systems, and device groups of a manager. */
  #vsys: readonly Path[] = [];
  #groups: readonly Path[] = [];
  #administrator: Promise<string> | undefined;
  #locked: string | undefined;
  /** Something of ours is uncommitted, which a strict batch would set back. */
  #wrote = false;
  /** The device turned out not to know `multi-config`. */
  #singly = false;

  constructor(configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions = {}) {
    super(configuration, dependencies, options);
    this.#configuration = configuration;
    this.#bounds = { jobTimeout: options.jobTimeout ?? JOB_TIMEOUT, jobSilence: options.jobSilence ?? JOB_SILENCE };
  }

  override async read(subtrees: readonly Path[], view: View): Promise<TreeNode> {
    const tree = await super.read(subtrees, view);
    this.#vsys = withAll(this.#vsys, entriesOf(tree, deviceEntry.child("vsys")));
    this.#groups = withAll(this.#groups, entriesOf(tree, deviceEntry.child("device-group")));
    return tree;
  }

  async administrator(): Promise<string> {
    const { client } = await this.session.current();
    this.#administrator ??= askAdministrator(client, this.#configuration);
    return this.#administrator;
  }

  /**
   * Takes the lock of shared, on a device of several vsys and on a manager of device groups those that are touched too,
   * all or none. Nothing where there are no locks.
   */
  async lock(comment: string, touched: readonly Path[]): Promise<void> {
    const session = await this.session.current();
    if (!session.capabilities.locks) return;
    const administrator = await this.administrator();
    const isTouched = (path: Path): boolean => touched.some((each) => each.contains(path) || path.contains(each));
    const parts = [...(session.multiVsys ? this.#vsys : []), ...this.#groups].filter(isTouched);
    const scopes = ["shared", ...parts.map(({ name }) => name ?? "")];
    this.#locked = comment;
    try {
      for (const scope of scopes) await takeLock(session, scope, comment, administrator);
    } catch (error) {
      if (scopes.length > 1) await giveBackLocks(session, comment, administrator);
      throw error;
    }
  }

  async unlock(): Promise<void> {
    if (this.#locked === undefined) return;
    await giveBackLocks(await this.session.current(), this.#locked, await this.administrator());
    this.#locked = undefined;
  }

  async breakLock(lock: Lock): Promise<void> {
    await breakLock(await this.session.current(), lock, await this.administrator());
  }

  savesSnapshots = true;

  /** `save config to`: the candidate before we write, which is running plus what is pending. Nothing where it is not offered. */
  async snapshot(name: string): Promise<void> {
    if (name === "" || name.length > SNAPSHOT_NAME_LENGTH) {
      throw new PlumblineError("snapshot-name-length", `a saved configuration cannot be called "${name}": 1 to 32 characters are allowed`, {
        where: { target: this.name },
        next: "Choose a shorter name.",
      });
    }
    const { client } = await this.session.current();
    const reply = await client.send(changingOp(saveConfiguration(name)));
    this.savesSnapshots = !saysUnknownCommand(reply);
    if (this.savesSnapshots) requireSuccess(reply, client.place);
  }

  async savedTree(name: string): Promise<TreeNode | undefined> {
    const { client } = await this.session.current();
    const reply = await client.send(op(showSaved(name)));
    if (!succeeded(reply)) return undefined;
    const root = reply.result?.children.find((child) => child.tag === "config");
    return root === undefined ? undefined : protectSecrets(root, panosShape);
  }

  /**
   * One transaction where the device has them, else one request an operation. The transaction is strict as long as our
   * administrator has nothing pending, since a strict one sets that back.
   */
  async write(batch: readonly Operation[]): Promise<void> {
    if (batch.length === 0) return;
    const { client, capabilities } = await this.session.current();
    if (capabilities.atomicBatch && !this.#singly) {
      const strict = !this.#wrote && (await this.#nothingOfOursPending());
      this.#wrote = true;
      if (await sendAtomic(client, batch, strict)) return;
      this.#singly = true;
      this.dependencies.logger.warn({ target: this.name }, "the device does not take several operations as one: they are sent one by one");
    }
    this.#wrote = true;
    await sendSingly(client, batch);
  }

  /**
   * `committed` is a valid candidate, `failed` one that a commit would refuse, `nothing` a device that cannot tell. Only what
   * is ours, as the commit will, where the device takes that.
   */
  async validate(progress: Progress): Promise<CommitResult> {
    const { client, capabilities } = await this.session.current();
    if (!capabilities.validate) return { outcome: "nothing", job: undefined, lines: [] };
    const run = (command: string) => runJob(client, changingOp(command), this.dependencies.clock, this.#bounds, progress);
    if (!capabilities.partialCommit) return run(validateFull);
    return await run(validateOwn(await this.administrator())).catch((error: unknown) => {
      if (error instanceof PlumblineError && error.code === "command-refused") return run(validateFull);
      throw error;
    });
  }

  async commit(options: { readonly description: string; readonly partial: boolean }, progress: Progress): Promise<CommitResult> {
    const { client, capabilities, identity } = await this.session.current();
    const administrator = options.partial && capabilities.partialCommit ? await this.administrator() : undefined;
    const cmd = commitCommand(capabilities.beyondSpecification ? options.description : undefined, administrator);
    const request = {
      parameters: [
        ["type", "commit"],
        ["cmd", cmd],
      ],
      repeatable: false,
    } as const;
    const result = await runJob(client, request, this.dependencies.clock, this.#bounds, progress);
    if (result.outcome !== "failed") this.#wrote = false;
    return result.outcome === "committed" && isManager(identity.model) ? { ...result, lines: [...result.lines, NOT_PUSHED] } : result;
  }

  async revert(): Promise<void> {
    const { client } = await this.session.current();
    requireSuccess(await client.send(changingOp(revertOwnChanges(await this.administrator()))), client.place);
    this.#wrote = false;
  }

  async settleJobs(prefix: string, progress: Progress): ReturnType<WriteTarget["settleJobs"]> {
    const { client } = await this.session.current();
    return settleJobs(client, await this.administrator(), prefix, this.dependencies.clock, this.#bounds, progress);
  }

  async #nothingOfOursPending(): Promise<boolean> {
    const { capabilities } = await this.session.current();
    if (!capabilities.changeList) return false;
    const administrator = await this.administrator();
    return (await this.pending()).every(({ owner }) => owner !== administrator);
  }
}

/** A firewall to write to. Only `apply.ts` and `commit.ts` hold one. */
export function openPanosWriter(
  configuration: PanosTargetConfiguration,
  dependencies: PanosDependencies,
  options: PanosOptions = {},
): WriteTarget {
  return new PanosWriter(configuration, dependencies, options);
}

function isManager(model: string | undefined): boolean {
  return model !== undefined && /^(?:Panorama|M-\d)/i.test(model);
}

function entriesOf(tree: TreeNode, list: Path): Path[] {
  return (find(tree, list)?.children ?? []).flatMap(({ name }) => (name === undefined ? [] : [list.entry(name)]));
}

function withAll(known: readonly Path[], more: readonly Path[]): readonly Path[] {
  const missing = more.filter((path) => !known.some((each) => each.equals(path)));
  return missing.length === 0 ? known : [...known, ...missing];
}
