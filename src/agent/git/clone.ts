import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Git, type GitResult, gitIn } from "../../checkout/git.js";
import { PlumblineError } from "../../errors.js";
import { gitEnvironment, type RepositoryAccess, withoutCredentials } from "./address.js";

const TIP = "refs/plumbline-agent/tip";
const IN_FORCE = "refs/plumbline-agent/in-force";
const FETCH_TIMEOUT = 120_000;
const LOCAL_TIMEOUT = 120_000;

/** What a branch or a tag points to. */
export interface Tip {
  readonly commit: string;
  /** The object of a tag that has one: what its maker wrote and signed. */
  readonly tag: string | undefined;
}

export interface CloneOptions {
  readonly access: RepositoryAccess;
  /** A branch, a tag, or what the repository's HEAD points to. */
  readonly branch: string | undefined;
  readonly tag: string | undefined;
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stop: AbortSignal;
}

/**
 * The agent's own clone of a repository, in the state folder. Only commits count: what is edited and not committed in
 * somebody's checkout is no wish yet. One process works in it at a time, which the store sees to.
 */
export class Clone {
  readonly folder: string;
  readonly url: string;
  readonly #options: CloneOptions;
  readonly #git: Git;
  readonly #remote: Git;

  constructor(options: CloneOptions) {
    const { url } = options.access;
    this.url = url;
    this.folder = join(options.stateFolder, "agent", "source", createHash("sha256").update(url).digest("hex").slice(0, 16));
    this.#options = options;
    const { environment } = options;
    this.#git = gitIn(this.folder, { environment, timeout: LOCAL_TIMEOUT });
    this.#remote = gitIn(this.folder, {
      environment: { ...environment, ...gitEnvironment(options.access, environment) },
      timeout: FETCH_TIMEOUT,
      stop: options.stop,
    });
  }

  /** The tag that is followed. */
  get tag(): string | undefined {
    return this.#options.branch === undefined ? this.#options.tag : undefined;
  }

  get stateFolder(): string {
    return this.#options.stateFolder;
  }

  /** Git in the clone, able to log in at the remote. */
  get git(): Git {
    return this.#remote;
  }

  /** Makes the clone where there is none, and clears away what a killed process left; a damaged one is made anew. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await removeLocks(join(this.folder, ".git"));
    const usable = existsSync(join(this.folder, ".git")) && (await this.#git(["--git-dir=.git", "rev-parse", "--git-dir"])).code === 0;
    if (!usable) {
      await rm(this.folder, { recursive: true, force: true });
      await mkdir(this.folder, { recursive: true });
      this.#must(await this.#git(["init", "--quiet", "--initial-branch=plumbline-agent"]));
    }
    await this.#git(["remote", "remove", "origin"]);
    this.#must(await this.#git(["remote", "add", "origin", this.url]));
  }

  /**
   * Asks the remote what the branch or tag points to.
   * @throws PlumblineError `source-unreachable`, `source-ref-missing`
   */
  async fetch(): Promise<Tip> {
    const { branch, tag } = this.#options;
    const ref = branch !== undefined ? `refs/heads/${branch}` : tag !== undefined ? `refs/tags/${tag}` : "HEAD";
    const result = await this.#remote(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--force", "origin", `+${ref}:${TIP}`]);
    if (result.code !== 0) throw this.#fetchFailed(result, ref);
    return tipOf(this.#must(await this.#git(["rev-parse", TIP, `${TIP}^{commit}`])));
  }

  /** What was in force last, also before a restart. */
  async inForce(): Promise<Tip | undefined> {
    const result = await this.#git(["rev-parse", IN_FORCE, `${IN_FORCE}^{commit}`]);
    return result.code === 0 ? tipOf(result) : undefined;
  }

  /** Keeps it over restarts, and from being collected as garbage after a force-push. */
  async putInForce({ commit, tag }: Tip): Promise<void> {
    this.#must(await this.#git(["update-ref", IN_FORCE, tag ?? commit]));
  }

  /** Makes the working tree that of `commit`; only files that differ are written. */
  async checkout(commit: string): Promise<void> {
    const quiet = ["-c", "advice.detachedHead=false", "-c", "core.hooksPath=/dev/null", "-c", "submodule.recurse=false"];
    this.#must(await this.#git([...quiet, "checkout", "--quiet", "--force", "--detach", commit]));
  }

  /** The same for a tree that something was interrupted in: files that are not of the commit go, too. */
  async restore(commit: string): Promise<void> {
    await this.checkout(commit);
    this.#must(await this.#git(["clean", "-ffdxq"]));
  }

  /** Whether `commit` is `ancestor` or comes after it. */
  async descends(ancestor: string, commit: string): Promise<boolean> {
    return (await this.#git(["merge-base", "--is-ancestor", ancestor, commit])).code === 0;
  }

  /** Files that differ between two commits, relative to the root of the repository. */
  async changedFiles(from: string, to: string): Promise<string[]> {
    const { stdout } = this.#must(await this.#git(["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", from, to]));
    return stdout.split("\0").filter((name) => name !== "");
  }

  /** Git that knows the keys of one keyring alone; those of the agent's user where it is undefined. */
  verifying(keyring: string | undefined): Git {
    const environment = { ...this.#options.environment, ...(keyring === undefined ? {} : { GNUPGHOME: keyring }) };
    return gitIn(this.folder, { environment, timeout: LOCAL_TIMEOUT });
  }

  /** Git without a way to the remote. */
  async run(args: readonly string[]): Promise<GitResult> {
    return await this.#git(args);
  }

  #must(result: GitResult): GitResult {
    if (result.code === 0) return result;
    throw new PlumblineError("source-clone-failed", `git failed in the agent's clone: ${withoutCredentials(result.stderr.trim())}`, {
      where: { file: this.folder },
      next: "See that the disk has room and that the folder belongs to the agent; a damaged clone may be deleted, it is made anew.",
    });
  }

  #fetchFailed({ code, stderr }: GitResult, ref: string): PlumblineError {
    const said = withoutCredentials(stderr.trim()) || `git ended with ${code}`;
    if (/couldn't find remote ref|Couldn't find remote ref/.test(stderr)) {
      return new PlumblineError("source-ref-missing", `${this.url} has no ${ref}.`, {
        next: "Correct agent.source.branch or tag, or push it.",
      });
    }
    return new PlumblineError("source-unreachable", `${this.url} cannot be fetched: ${said}`, {
      next: "See that git can fetch it as the agent's user; the commit in force stays, and it is tried again.",
    });
  }
}

/** Of `git rev-parse REF REF^{commit}`. */
function tipOf({ stdout }: GitResult): Tip {
  const [object = "", commit = ""] = stdout.trimEnd().split("\n");
  return { commit, tag: object === commit ? undefined : object };
}

/** What a killed git leaves behind; nobody else works in this clone. */
async function removeLocks(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const locks = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".lock"));
  await Promise.all(locks.map((entry) => rm(join(entry.parentPath, entry.name), { force: true })));
}
