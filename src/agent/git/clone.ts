import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Git, type GitResult, gitIn } from "../../engine/checkout/git.js";
import { parseTracked, type TrackedFile } from "../../engine/checkout/hidden-paths.js";
import { gitEnvironment, type RepositoryAccess, withConfiguration } from "./address.js";
import { cloneFailure, isDamaged, isLeftBehind } from "./clone-failure.js";
import { fetchFailure } from "./fetch-failure.js";

const TIP = "refs/plumbline-agent/tip";
const IN_FORCE = "refs/plumbline-agent/in-force";
const FETCH_SILENCE = 120_000;
const LOCAL_TIMEOUT = 120_000;

/** Settings of the clone, in addition to those of every git call. They override the settings of the user. */
const SETTINGS = [
  ["core.fsync", "all"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.autoDetach", "false"],
  ["maintenance.autoDetach", "false"],
  ["advice.detachedHead", "false"],
] as const;

/** Target of a branch or a tag. */
export interface Tip {
  readonly commit: string;
  /** Object id of an annotated tag. It can carry a signature. */
  readonly tag: string | undefined;
}

export interface CloneOptions {
  readonly access: RepositoryAccess;
  /** Branch to follow. If both `branch` and `tag` are undefined, HEAD of the repository is followed. */
  readonly branch: string | undefined;
  readonly tag: string | undefined;
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stop: AbortSignal;
  /** Folder of the clone. The default is in the state folder. */
  readonly folder?: string;
  /** Milliseconds without output after which a fetch is stopped. */
  readonly silence?: number;
}

/**
 * The agent's clone of a repository, in the state folder. Uncommitted changes have no effect. The store ensures that only one process uses
 * the clone at a time.
 */
export class Clone {
  readonly folder: string;
  readonly url: string;
  readonly #aside: string;
  readonly #options: CloneOptions;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #git: Git;
  #remote: Git;

  constructor(options: CloneOptions) {
    const { url } = options.access;
    this.url = url;
    const name = createHash("sha256").update(url).digest("hex").slice(0, 16);
    this.folder = options.folder ?? join(options.stateFolder, "agent", "source", name);
    this.#aside = join(options.stateFolder, "agent", "aside", name);
    this.#options = options;
    this.#environment = { ...options.environment, ...withConfiguration(options.environment, SETTINGS) };
    this.#git = gitIn(this.folder, { environment: this.#environment, timeout: LOCAL_TIMEOUT });
    this.#remote = this.#reaching(undefined);
  }

  /** Tag that is followed. */
  get tag(): string | undefined {
    return this.#options.branch === undefined ? this.#options.tag : undefined;
  }

  get stateFolder(): string {
    return this.#options.stateFolder;
  }

  /** Git in the clone, with the login for the remote. */
  get git(): Git {
    return this.#remote;
  }

  /** Creates the clone if it is missing or unusable, and removes files that a killed process left. */
  async open(): Promise<void> {
    await this.#recall();
    await mkdir(this.folder, { recursive: true });
    await removeLocks(join(this.folder, ".git"));
    // An interrupted git process may not have recorded which files it wrote.
    await rm(join(this.folder, ".git", "aside-index"), { force: true });
    const usable = existsSync(join(this.folder, ".git")) && (await this.#git(["rev-parse", "--git-dir"])).code === 0;
    if (!usable) {
      await rm(this.folder, { recursive: true, force: true });
      await mkdir(this.folder, { recursive: true });
      await this.#must(["init", "--quiet", "--initial-branch=plumbline-agent"]);
    }
    await this.#git(["remote", "remove", "origin"]);
    await this.#must(["remote", "add", "--", "origin", this.url]);
    this.#remote = this.#reaching((await this.#git(["config", "--get", "core.sshCommand"])).stdout.trim());
  }

  /**
   * Fetches the branch or tag.
   * @throws PlumblineError `source-unreachable`, `source-ref-missing`, `source-clone-damaged`
   */
  async fetch(): Promise<Tip> {
    const { branch, tag } = this.#options;
    const ref = branch !== undefined ? `refs/heads/${branch}` : tag !== undefined ? `refs/tags/${tag}` : "HEAD";
    const options = ["--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--update-shallow", "--force"];
    const words = ["fetch", ...options, "origin", `+${ref}:${TIP}`];
    let result = await this.#remote(words);
    if (result.code !== 0 && (await this.#cleared(result))) result = await this.#remote(words);
    if (result.code !== 0) throw isDamaged(result) ? cloneFailure(this.folder, result) : fetchFailure(this.url, ref, result);
    return tipOf(await this.#must(["rev-parse", TIP, `${TIP}^{commit}`]));
  }

  /**
   * Creates a new clone from the remote next to the damaged one. Returns a function that replaces the damaged clone.
   * @param inForce Commit to keep. It is taken from the damaged clone if the remote no longer has it.
   */
  async renew(inForce: Tip | undefined): Promise<() => Promise<void>> {
    const fresh = new Clone({ ...this.#options, folder: `${this.folder}.new` });
    await rm(fresh.folder, { recursive: true, force: true });
    await fresh.open();
    await fresh.fetch();
    if (inForce !== undefined) {
      const { commit, tag } = inForce;
      for (const object of [commit, tag]) if (object !== undefined) await fresh.#bring(object, this.folder);
      if (await fresh.has(commit)) {
        await fresh.activate({ commit, tag: tag !== undefined && (await fresh.has(tag)) ? tag : undefined });
        await fresh.restore(commit);
      }
    }
    return async () => {
      const old = `${this.folder}.old`;
      await rm(old, { recursive: true, force: true });
      if (existsSync(this.folder)) await rename(this.folder, old);
      await rename(fresh.folder, this.folder);
      await rm(old, { recursive: true, force: true });
    };
  }

  /** Returns the last active commit, also after a restart. */
  async inForce(): Promise<Tip | undefined> {
    const result = await this.#git(["rev-parse", IN_FORCE, `${IN_FORCE}^{commit}`]);
    return result.code === 0 ? tipOf(result) : undefined;
  }

  /** Saves the active commit. The ref also protects it from garbage collection after a force-push. */
  async activate({ commit, tag }: Tip): Promise<void> {
    await this.#must(["update-ref", IN_FORCE, tag ?? commit]);
  }

  async has(commit: string): Promise<boolean> {
    return (await this.#git(["cat-file", "-e", commit])).code === 0;
  }

  /** Checks out `commit`. Only files that differ are written. */
  async checkout(commit: string): Promise<void> {
    const words = ["checkout", "--quiet", "--force", "--detach", commit];
    const result = await this.#git(words);
    if (result.code === 0) return;
    if (!(await this.#cleared(result))) throw cloneFailure(this.folder, result);
    // The index was removed, so git does not know which files belong to an older commit.
    await this.restore(commit);
  }

  /** Checks out `commit` after an interruption. Files that are not in the commit are removed. */
  async restore(commit: string): Promise<void> {
    await this.#must(["checkout", "--quiet", "--force", "--detach", commit]);
    await this.#must(["clean", "-ffdxq"]);
  }

  /** Writes the files of `commit` to a separate folder and returns that folder. The working tree does not change. */
  async layOut(commit: string): Promise<string> {
    const index = join(this.folder, ".git", "aside-index");
    const folder = this.#aside;
    const git = gitIn(this.folder, { environment: { ...this.#environment, GIT_INDEX_FILE: index }, timeout: LOCAL_TIMEOUT });
    if (!existsSync(index)) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const result = await git([`--work-tree=${folder}`, "read-tree", "--reset", "-u", commit]);
    if (result.code === 0) return folder;
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
    throw cloneFailure(this.folder, result);
  }

  /**
   * Returns whether `commit` is `ancestor` or a descendant of it. False if the clone does not contain `ancestor`.
   * @throws PlumblineError `source-clone-damaged`
   */
  async descends(ancestor: string, commit: string): Promise<boolean> {
    const result = await this.#git(["merge-base", "--is-ancestor", ancestor, commit]);
    if (result.code > 1 && (await this.has(ancestor))) throw cloneFailure(this.folder, result);
    return result.code === 0;
  }

  /** Returns the files that differ between two commits, relative to the root of the repository. */
  async changedFiles(from: string, to: string): Promise<string[]> {
    const { stdout } = await this.#must(["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", from, to]);
    return stdout.split("\0").filter((name) => name !== "");
  }

  /** @throws PlumblineError `source-clone-damaged` */
  async trackedFiles(commit: string): Promise<TrackedFile[]> {
    return parseTracked((await this.#must(["ls-tree", "-r", "-z", "--full-tree", commit])).stdout);
  }

  /** Returns git with the keys of one keyring, or with those of the agent's user if it is undefined. */
  verifying(keyring: string | undefined): Git {
    const environment = { ...this.#environment, ...(keyring === undefined ? {} : { GNUPGHOME: keyring }) };
    return gitIn(this.folder, { environment, timeout: LOCAL_TIMEOUT });
  }

  /** Returns the file of allowed SSH signers: the one of the settings, or git's `gpg.ssh.allowedSignersFile`. */
  async allowedSigners(setting: string | undefined): Promise<string | undefined> {
    if (setting !== undefined) return setting;
    const { stdout } = await this.#git(["config", "--path", "--get", "gpg.ssh.allowedSignersFile"]);
    return stdout.trim() || undefined;
  }

  /** Runs git without the login for the remote. */
  async run(args: readonly string[]): Promise<GitResult> {
    return await this.#git(args);
  }

  #reaching(sshCommand: string | undefined): Git {
    const { access, stop, silence } = this.#options;
    const environment = { ...this.#environment, ...gitEnvironment(access, this.#environment, sshCommand) };
    return gitIn(this.folder, { environment, silence: silence ?? FETCH_SILENCE, stop });
  }

  async #must(args: readonly string[]): Promise<GitResult> {
    let result = await this.#git(args);
    if (result.code !== 0 && (await this.#cleared(result))) result = await this.#git(args);
    if (result.code === 0) return result;
    throw cloneFailure(this.folder, result);
  }

  /** Removes files that a killed git left, if they caused the failure. Returns whether they did. */
  async #cleared(result: GitResult): Promise<boolean> {
    if (!isLeftBehind(result)) return false;
    const folder = join(this.folder, ".git");
    await removeLocks(folder);
    await rm(join(folder, "index"), { force: true });
    return true;
  }

  /** Fetches an object from the remote, or from another clone if that fails. */
  async #bring(object: string, other: string): Promise<void> {
    for (const from of ["origin", other]) {
      if (await this.has(object)) return;
      await this.#remote(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", from, object]);
    }
  }

  /** Completes an interrupted renewal. Either clone is valid. */
  async #recall(): Promise<void> {
    const old = `${this.folder}.old`;
    if (existsSync(old) && !existsSync(this.folder)) await rename(old, this.folder);
    for (const ending of [".old", ".new"]) await rm(this.folder + ending, { recursive: true, force: true });
  }
}

/** Parses the output of `git rev-parse REF REF^{commit}`. */
function tipOf({ stdout }: GitResult): Tip {
  const [object = "", commit = ""] = stdout.trimEnd().split("\n");
  return { commit, tag: object === commit ? undefined : object };
}

/** Removes the locks of a killed git. No other process uses this clone. */
async function removeLocks(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const locks = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".lock"));
  await Promise.all(locks.map((entry) => rm(join(entry.parentPath, entry.name), { force: true })));
}
