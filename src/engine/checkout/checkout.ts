import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { Lazy } from "../../core/lazy.js";
import { refuseRepositoryInCommit } from "./bare-repository.js";
import { type Git, gitIn } from "./git.js";
import { findRepository } from "./repository.js";

/** The git checkout of the desired state. Outside git, all fields except `folder` are empty. */
export interface Checkout {
  readonly folder: string;
  /** Root of the working tree. */
  readonly root: string | undefined;
  /** Full sha of HEAD; undefined before the first commit. */
  readonly commit: string | undefined;
  /** Parents of the commit. Empty at the end of a shallow clone. */
  readonly parents: readonly string[];
  /** Returns the author of the commit as `Name <address>`. Calls git on first use. */
  author(): Promise<string | undefined>;
  /** Files under `folder` differ from HEAD. */
  readonly dirty: boolean;
  /** Changed paths that can be documents, relative to `root`: tracked or deleted files, untracked YAML files and repositories. */
  readonly differing: readonly string[];
  /** Remote of the ledgers: the remote of the branch, else `origin`, else the only one. Undefined without a remote. */
  readonly remote: string | undefined;
}

/**
 * Reads the state of the working tree around `folder`.
 * @throws PlumblineError `checkout-unreadable` if git cannot read it (for example because it belongs to another user),
 * `repository-in-commit`
 */
export async function readCheckout(folder: string, git: Git = gitIn(folder)): Promise<Checkout> {
  // Outside a repository no git program is started.
  if (findRepository(folder).root === undefined) return outside(folder);
  const top = await git(["rev-parse", "--show-toplevel", "--revs-only", "HEAD", "HEAD^@"]);
  if (top.code !== 0) {
    if (top.code === 127 || /not a git repository/i.test(top.stderr)) return outside(folder);
    throw unreadable(folder, top.stderr);
  }
  const [root, commit, ...parents] = top.stdout.trimEnd().split("\n");
  const author = new Lazy(() => authorOf(commit, git));
  const [{ dirty, differing }, remote] = await Promise.all([comparedWithHead(root ?? folder, git), remoteOf(git)]);
  return { folder, root, commit, parents, author: () => author.get(), dirty, differing, remote };
}

async function authorOf(commit: string | undefined, git: Git): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  return (await git(["log", "-1", "--no-show-signature", "--format=%an <%ae>", commit])).stdout.trim() || undefined;
}

/** Returns the committer time of the newest commit that any ref of the repository names, in milliseconds since 1970. */
export async function newestCommitTime({ root }: Pick<Checkout, "root">): Promise<number | undefined> {
  if (root === undefined) return undefined;
  const { code, stdout } = await gitIn(root)(["for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(committerdate:unix)"]);
  const seconds = Number.parseInt(stdout, 10);
  return code !== 0 || Number.isNaN(seconds) ? undefined : seconds * 1000;
}

/**
 * Compares the working tree with HEAD. `git status` omits files that a sparse checkout or `update-index` excludes, so their
 * existence is checked separately.
 */
async function comparedWithHead(root: string, git: Git): Promise<Pick<Checkout, "dirty" | "differing">> {
  const [status, tracked] = await Promise.all([
    git(["status", "--porcelain", "--untracked-files=all", "-z", "--no-renames", "--", "."]),
    git(["ls-files", "-v", "-z", "--full-name", "--", "."]),
  ]);
  const failed = [status, tracked].find(({ code }) => code !== 0);
  if (failed !== undefined) throw unreadable(root, failed.stderr);
  const changed = lines(status.stdout);
  refuseRepositoryInCommit(lines(tracked.stdout).map((line) => line.slice(2)));
  const unseen = lines(tracked.stdout).filter((line) => /^[Sa-z] /.test(line));
  const missing = unseen.map((line) => line.slice(2)).filter((name) => !existsSync(join(root, name)));
  const differing = changed.filter((line) => !line.startsWith("?? ") || /\.ya?ml$|\/$/.test(line)).map((line) => line.slice(3));
  return { dirty: changed.length > 0, differing: [...differing, ...missing] };
}

function lines(text: string): string[] {
  return text.split("\0").filter((line) => line !== "");
}

function unreadable(folder: string, why: string): PlumblineError {
  return new PlumblineError("checkout-unreadable", `git cannot read the working tree: ${why.trim()}`, {
    where: { file: folder },
    next: "Fix git in this folder (see `git status` there), then run again.",
  });
}

/** Steps to deepen a shallow clone. The wanted commit is usually a recent one. */
const DEEPER = ["--deepen=50", "--deepen=1000", "--unshallow"];

/**
 * Returns whether `commit` is `ancestor` or one of its descendants. In a shallow clone, more history is fetched from the remote as
 * needed. An unknown commit counts as no ancestor, so that no object is deleted by mistake.
 */
export async function descends(folder: string, ancestor: string, commit: string, git: Git = gitIn(folder)): Promise<boolean> {
  if (ancestor === commit) return true;
  const isAncestor = async () => (await git(["merge-base", "--is-ancestor", ancestor, commit])).code === 0;
  if (await isAncestor()) return true;
  return await inTurn(folder, async () => {
    // The previous caller may have fetched it.
    if (await isAncestor()) return true;
    for (const more of DEEPER) {
      if (!(await deepen(more, git))) return false;
      if (await isAncestor()) return true;
    }
    return false;
  });
}

/** Returns whether the clone contains a commit. */
export async function hasCommit(folder: string, commit: string, git: Git = gitIn(folder)): Promise<boolean> {
  return (await git(["cat-file", "-e", `${commit}^{commit}`])).code === 0;
}

/** Returns whether the history is still incomplete. A negative result of `descends` is then not certain. */
export async function isShallow(folder: string, git: Git = gitIn(folder)): Promise<boolean> {
  return (await git(["rev-parse", "--is-shallow-repository"])).stdout.trim() === "true";
}

/** Fetches more history. Returns false if the clone is complete or has no remote. */
async function deepen(more: string, git: Git): Promise<boolean> {
  if (!(await isShallow("", git))) return false;
  const remote = await remoteOf(git);
  return remote !== undefined && (await git(["fetch", "--quiet", "--no-tags", more, remote])).code === 0;
}

/** Returns the address of the remote, or the root of the repository without one. Outside git, returns the folder. */
export async function repositoryAddress(folder: string): Promise<string> {
  const { root } = findRepository(folder);
  if (root === undefined) return folder;
  const git = gitIn(folder);
  const remote = await remoteOf(git);
  const address = remote === undefined ? "" : (await git(["remote", "get-url", remote])).stdout.trim();
  if (address === "") return root;
  return existsSync(resolve(root, address)) ? resolve(root, address) : address;
}

const turns = new Map<string, Promise<unknown>>();

/** Runs work on a folder sequentially: only one git process may deepen a shallow clone at a time. */
function inTurn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(folder) ?? Promise.resolve()).then(work, work);
  turns.set(folder, turn);
  return turn;
}

function outside(folder: string): Checkout {
  const author = async () => undefined;
  return { folder, root: undefined, commit: undefined, parents: [], author, dirty: false, differing: [], remote: undefined };
}

/** Returns the remote. Reads the current branch only if some branch has an unusual remote. */
async function remoteOf(git: Git): Promise<string | undefined> {
  const settings = lines((await git(["config", "-z", "--get-regexp", REMOTES])).stdout).map((line) => {
    const [name = "", value = ""] = line.split("\n");
    return [name, value] as const;
  });
  const remotes = new Set(settings.filter(([name]) => name.startsWith("remote.")).map(([name]) => name.slice(7, name.lastIndexOf("."))));
  const usual = remotes.has("origin") ? "origin" : remotes.size === 1 ? [...remotes][0] : undefined;
  // The last setting of a branch wins. It may be empty.
  const ofBranches = new Map(settings.filter(([name]) => name.startsWith("branch.")));
  const own = (remote: string | undefined): string | undefined => (remote === "" || remote === "." ? undefined : remote);
  if ([...ofBranches.values()].every((remote) => (own(remote) ?? usual) === usual)) return usual;
  const branch = (await git(["symbolic-ref", "--quiet", "--short", "HEAD"])).stdout.trim();
  return own(ofBranches.get(`branch.${branch}.remote`)) ?? usual;
}

/** Settings of remotes, and the remotes of branches. */
const REMOTES = "^(remote[.].+[.][^.]+|branch[.].+[.]remote)$";
