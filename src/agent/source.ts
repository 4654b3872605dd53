import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { dayOf } from "../core/day.js";
import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import type { SignaturePolicy } from "../desired/configuration/agent.js";
import { readConfigurationText } from "../desired/configuration/configuration-text.js";
import { parseConfigurationText, readParsed } from "../desired/configuration/read.js";
import type { KindRegistry } from "../desired/kind.js";
import type { Checkout } from "../engine/checkout/checkout.js";
import { hiddenPaths } from "../engine/checkout/hidden-paths.js";
import type { AgentClock } from "./clock.js";
import type { CommitIndex } from "./commit-index.js";
import type { EventStream } from "./events.js";
import type { Clone, Tip } from "./git/clone.js";
import { type CommitFacts, describeCommit } from "./git/describe.js";
import { type LineagePolicy, requireLineage } from "./git/lineage.js";
import { requireSignature } from "./git/signature.js";
import type { CommitToLoad } from "./load-commit.js";
import type { CommitLoader, LoadedTargets, Since } from "./loading/loader.js";
import { ReadWriteLock } from "./read-write-lock.js";

const USUAL = ["plumbline.yaml", "desired-state/plumbline.yaml"] as const;

/** Minimum milliseconds between two new clones. If a new clone does not fix the problem, another one soon after does not either. */
const RENEW_PAUSE = 15 * 60_000;

export interface SourceOptions {
  readonly clone: Clone;
  /** Path of plumbline.yaml from the root of the repository, with forward slashes. The default is one of the usual places. */
  readonly path: string | undefined;
  readonly signatures: SignaturePolicy | undefined;
  readonly lineage: LineagePolicy;
  readonly kinds: KindRegistry;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: AgentClock;
  readonly events: EventStream;
  readonly owns: CommitToLoad["owns"];
  readonly load: CommitLoader;
  /** Returns the last active commit according to the store, for a clone that has none. */
  readonly lastGood: () => Promise<string | undefined>;
  /** Called before a commit comes into force. May throw to reject it. */
  readonly accept: (index: CommitIndex) => Promise<void>;
}

export interface NewCommit {
  readonly index: CommitIndex;
  readonly previous: CommitIndex | undefined;
  readonly affected: ReadonlySet<string>;
}

/**
 * The repository of the agent. The active commit is the last one that has the required signature, has the required history and
 * loads completely. A newer commit replaces it only if it meets all three conditions.
 */
export class Source {
  readonly #options: SourceOptions;
  readonly #lock = new ReadWriteLock();
  #inForce: CommitIndex | undefined;
  #failures = 0;
  #failedSince = 0;
  /** A commit that does not load. It is not tried again. */
  #broken: string | undefined;
  /** A rejected commit that was reported. */
  #reported: string | undefined;
  /** Branch tip or tag of the active commit. */
  #tip: Tip | undefined;
  /** Earliest time of the next new clone, in monotonic milliseconds. */
  #renewAt = 0;
  /** The working tree may not be at the active commit. */
  #misplaced = false;
  /** Damage of the clone that other code found since the last fetch. */
  #damage: PlumblineError | undefined;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  get inForce(): CommitIndex | undefined {
    return this.#inForce;
  }

  /** Folder of `plumbline.yaml` in the repository. Empty for the root. */
  get folder(): string {
    return folderOf(this.#path);
  }

  /** Returns author, time and message of a commit. Undefined if the clone does not contain it. */
  async describe(commit: string): Promise<CommitFacts | undefined> {
    return await describeCommit(this.#options.clone, commit);
  }

  /** Number of consecutive failed fetches. */
  get failures(): number {
    return this.#failures;
  }

  /** Absolute path of `plumbline.yaml` in the agent's working tree. */
  get file(): string {
    return join(this.#options.clone.folder, this.#path);
  }

  get #path(): string {
    return this.#pathIn(this.#options.clone.folder);
  }

  #pathIn(root: string): string {
    return this.#options.path ?? USUAL.find((each) => existsSync(join(root, each))) ?? USUAL[0];
  }

  /** The active commit as a checkout. It calls no git. */
  get checkout(): Checkout {
    const { folder } = this.#options.clone;
    const { commit, author } = this.#inForce ?? { commit: undefined, author: undefined };
    return {
      folder: dirname(this.file),
      root: folder,
      commit,
      parents: [],
      author: async () => author,
      dirty: false,
      differing: [],
      remote: "origin",
    };
  }

  /**
   * Returns whether a former commit counts, by the signature rule for any commit. A key that has expired since does not matter.
   * If the agent follows a signed tag, the tag vouches for its history.
   */
  async accepts(commit: string): Promise<boolean> {
    const { clone, signatures } = this.#options;
    if (this.#tip?.tag !== undefined) return true;
    return await requireSignature(clone, { commit, tag: undefined }, signatures, true).then(
      () => true,
      () => false,
    );
  }

  /** Opens the clone at the commit that was active when the agent last ran. Needs no network. */
  async open(): Promise<void> {
    const { clone } = this.#options;
    await clone.open();
    const tip = await clone.inForce();
    if (tip === undefined) return;
    const { commit } = tip;
    try {
      await requireSignature(clone, tip, this.#options.signatures, true);
      await requireLineage(clone, commit, undefined, this.#options.lineage);
      await this.#lock.write(async () => {
        await clone.restore(commit);
        const wanted = await this.#toLoad(commit, clone.folder);
        const { targets } = await this.#options.load(wanted, undefined);
        const index = await this.#indexOf(wanted, targets, undefined);
        await this.#options.accept(index);
        this.#inForce = index;
        this.#tip = tip;
      });
    } catch (error) {
      await this.#reject(commit, error);
      if (isTooHeavy(error)) this.#broken = commit;
      else this.#reported = undefined;
    }
  }

  /** Notes that the clone is damaged (`source-clone-damaged`). The next fetch creates a new one. */
  foundDamaged(damage: PlumblineError): void {
    this.#damage = damage;
  }

  /** Fetches, and takes a new commit. Returns it if there is one. Events report everything else. */
  async refresh(): Promise<NewCommit | undefined> {
    const { events } = this.#options;
    let tip: Tip;
    try {
      tip = await this.#mending(() => this.#fetch());
    } catch (error) {
      await this.#failed(asError(error));
      return undefined;
    }
    await this.#recovered();
    const { commit } = tip;
    const previous = this.#inForce;
    await events.emit({ type: "source-fetched", commit, moved: commit !== previous?.commit });
    if (commit === previous?.commit) {
      this.#reported = undefined;
      return undefined;
    }
    const news = await this.#take(tip, previous);
    return news ?? (this.#inForce === undefined ? await this.#takeLastGood(commit) : undefined);
  }

  async #fetch(): Promise<Tip> {
    const damage = this.#damage;
    this.#damage = undefined;
    if (damage !== undefined) throw damage;
    return await this.#options.clone.fetch();
  }

  /** Runs `work` while the working tree stays at the active commit. */
  async whileInForce<T>(work: (index: CommitIndex) => Promise<T>): Promise<T> {
    if (this.#misplaced) await this.#lock.write(() => this.#putBack());
    return await this.#lock.read(async () => {
      if (this.#inForce === undefined) throw noCommit(this.#options.clone.url);
      return await work(this.#inForce).catch((error: unknown) => {
        // Another process changed the working tree. Restore it before the next read.
        if (isUnreadable(error)) this.#misplaced = true;
        throw error;
      });
    });
  }

  async #take(tip: Tip, previous: CommitIndex | undefined): Promise<NewCommit | undefined> {
    const { commit } = tip;
    const { clone, events, signatures, lineage, lastGood } = this.#options;
    const before = previous?.commit ?? (await lastGood());
    try {
      await requireSignature(clone, tip, signatures);
      await this.#mending(() => requireLineage(clone, commit, before, lineage));
    } catch (error) {
      await this.#reject(commit, error);
      return undefined;
    }
    if (commit === this.#broken) return undefined;
    if (before !== undefined && !(await clone.descends(before, commit))) {
      await events.emit({ type: "source-rewound", commit, previous: before });
    }
    try {
      const news = await this.#mending(() => this.#bring(tip, previous));
      this.#reported = undefined;
      return news;
    } catch (error) {
      if (error instanceof PlumblineErrors || isTooHeavy(error)) this.#broken = commit;
      await this.#reject(commit, error);
      return undefined;
    }
  }

  /** Takes the last good commit, for a new clone whose branch tip is rejected. */
  async #takeLastGood(refused: string): Promise<NewCommit | undefined> {
    const { clone, signatures, lineage, lastGood } = this.#options;
    const commit = await lastGood();
    if (commit === undefined || commit === refused || !(await clone.has(commit))) return undefined;
    const tip = { commit, tag: undefined };
    try {
      await requireSignature(clone, tip, signatures, true);
      await requireLineage(clone, commit, undefined, lineage);
      return await this.#mending(() => this.#bring(tip, undefined));
    } catch {
      // The rejection of the newest commit was reported. This one adds no information.
      return undefined;
    }
  }

  /** Loads a commit in a separate folder, so that concurrent reads continue, and activates it. */
  async #bring(tip: Tip, previous: CommitIndex | undefined): Promise<NewCommit> {
    const { commit } = tip;
    const { clone, load } = this.#options;
    const root = await clone.layOut(commit);
    const wanted = await this.#toLoad(commit, root);
    const { targets, affected } = await load(wanted, await this.#sinceOf(commit, previous, folderOf(this.#pathIn(root))));
    const index = await this.#lock.write(() => this.#switch(tip, previous, wanted, targets));
    return { index, previous, affected };
  }

  async #sinceOf(commit: string, before: CommitIndex | undefined, folder: string): Promise<Since | undefined> {
    const { clone } = this.#options;
    if (before === undefined || !(await clone.has(before.commit))) return undefined;
    return { before, changed: await clone.changedFiles(before.commit, commit), folder };
  }

  /** Moves the working tree to a loaded commit. Restores it on failure. */
  async #switch(
    tip: Tip,
    previous: CommitIndex | undefined,
    wanted: CommitToLoad,
    targets: LoadedTargets["targets"],
  ): Promise<CommitIndex> {
    const { clone, accept } = this.#options;
    try {
      this.#misplaced = true;
      await clone.checkout(tip.commit);
      const index = await this.#indexOf(wanted, targets, previous);
      await accept(index);
      await clone.activate(tip);
      this.#inForce = index;
      this.#tip = tip;
      this.#misplaced = false;
      return index;
    } catch (error) {
      await this.#putBack().catch(() => undefined);
      throw error;
    }
  }

  /** Creates the index with plumbline.yaml of the working tree. An unchanged file is not parsed again. */
  async #indexOf(
    { commit, author, environment, kinds }: CommitToLoad,
    targets: LoadedTargets["targets"],
    previous: CommitIndex | undefined,
  ): Promise<CommitIndex> {
    const text = await readConfigurationText(this.file);
    if (previous?.parsed.source.text === text && previous.parsed.file === this.file) return { ...previous, commit, author, targets };
    const parsed = await parseConfigurationText(this.file, text, kinds);
    const { configuration } = await readParsed(parsed, { environment, kinds, resolveSecrets: false });
    return { commit, author, configuration, parsed, targets };
  }

  /** Runs work. If the clone is damaged, creates a new clone and repeats the work once. */
  async #mending<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { clone, clock } = this.#options;
      const isDamage = error instanceof PlumblineError && error.code === "source-clone-damaged";
      if (!isDamage || clock.monotonic() < this.#renewAt) throw error;
      this.#renewAt = clock.monotonic() + RENEW_PAUSE;
      await this.#failed(error);
      const swap = await clone.renew(this.#tip);
      await this.#lock.write(async () => {
        this.#misplaced = true;
        await swap();
        await this.#putBack();
      });
      return await work();
    }
  }

  async #putBack(): Promise<void> {
    if (!this.#misplaced || this.#inForce === undefined) return;
    await this.#options.clone.restore(this.#inForce.commit);
    this.#misplaced = false;
  }

  async #toLoad(commit: string, root: string): Promise<CommitToLoad> {
    const { clone, kinds, environment, clock, owns } = this.#options;
    const { stdout } = await clone.run(["log", "-1", "--no-show-signature", "--format=%an <%ae>", commit]);
    const today = dayOf(clock.now());
    const path = this.#pathIn(root);
    const hidden = hiddenPaths(await clone.trackedFiles(commit), folderOf(path));
    return { commit, author: stdout.trim() || undefined, file: join(root, path), hidden, kinds, environment, today, owns };
  }

  /** Reports a rejected commit once. */
  async #reject(commit: string, error: unknown): Promise<void> {
    if (error instanceof PlumblineError && error.code === "interrupted") return;
    if (this.#reported === commit) return;
    this.#reported = commit;
    const inForce = this.#inForce?.commit;
    const { events } = this.#options;
    if (error instanceof PlumblineErrors) await events.emit({ type: "commit-broken", commit, inForce, errors: error.errors });
    else if (error instanceof PlumblineError && error.severity === "refused") {
      await events.emit({ type: "commit-refused", commit, inForce, error });
    } else await events.emit({ type: "commit-broken", commit, inForce, errors: [asError(error)] });
  }

  async #failed(error: PlumblineError): Promise<void> {
    const { clock, events } = this.#options;
    this.#failures += 1;
    if (this.#failures === 1) this.#failedSince = clock.now();
    await events.emit({ type: "source-failed", error, failures: this.#failures, since: this.#failedSince });
  }

  async #recovered(): Promise<void> {
    if (this.#failures === 0) return;
    const failures = this.#failures;
    this.#failures = 0;
    await this.#options.events.emit({ type: "source-recovered", failures, since: this.#failedSince });
  }
}

/** Returns whether a retry is useless. */
function isTooHeavy(error: unknown): boolean {
  return error instanceof PlumblineError && error.code === "commit-too-heavy";
}

function isUnreadable(error: unknown): boolean {
  return error instanceof PlumblineErrors && error.errors.some(({ code }) => code === "file-unreadable");
}

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

function noCommit(source: string): PlumblineError {
  return new PlumblineError("no-commit-in-force", `No commit of ${source} has been taken yet.`, {
    next: "See the log for why: the repository cannot be fetched, or its commit was refused.",
  });
}

function asError(error: unknown): PlumblineError {
  if (error instanceof PlumblineError) return error;
  return new PlumblineError("unexpected", error instanceof Error ? error.message : String(error), {
    next: "This should not happen; please report it with the log.",
    cause: error,
  });
}
