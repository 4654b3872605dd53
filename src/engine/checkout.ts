import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlumblineError } from "../core/errors.js";
import { Lazy } from "../core/lazy.js";
import { refuseRepositoryInCommit } from "./checkout/bare-repository.js";
import { type Git, gitIn } from "./checkout/git.js";
import { findRepository } from "./checkout/repository.js";

/** Where the desired state comes from. Outside git everything but `folder` is undefined. */
export interface Checkout {
  readonly folder: string;
  /** Root of the working tree. */
  readonly root: string | undefined;
  /** Full sha of HEAD; undefined before the first commit. */
  readonly commit: string | undefined;
  /** Of that commit, as far as they are known here: none where a shallow clone ends. */
  readonly parents: readonly string[];
  /** `Name <address>` of the commit's author, asked for by who has to tell it. */
  author(): Promise<string | undefined>;
  /** Files under `folder` differ from HEAD. */
  readonly dirty: boolean;
  /** Those of them that can be documents, relative to `root`: tracked files, also deleted ones, untracked YAML files and untracked repositories. */
  readonly differing: readonly string[];
  /** Remote that ledgers live on: that of the branch, else `origin`, else the only one; undefined without any. */
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
 * What is not as HEAD has it. Git is silent of files that a sparse checkout or `update-index` told it not to look at: of
 * those it is asked apart whether they are there.
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
  const said = changed.filter((line) => !line.startsWith("?? ") || /\.ya?ml$|\/$/.test(line)).map((line) => line.slice(3));
  return { dirty: changed.length > 0, differing: [...said, ...missing] };
}

function lines(text: string): string[] {
  return text.split("\0").filter((line) => line !== "");
}

function unreadable(folder: string, why: string): PlumblineError {
  return new PlumblineError("checkout-unreadable", `git cannot read the working tree: ${why.trim()}`, {
    where: { file: folder },
    next: "Make git work in this folder (see `git status` there), then run again.",
  });
}

/** How far a shallow clone is deepened, step by step: the commit that is looked for is mostly a recent one. */
const DEEPER = ["--deepen=50", "--deepen=1000", "--unshallow"];

/**
 * Whether `commit` is `ancestor` or comes after it. In a shallow clone, which ends before the ancestor, the history is
 * fetched from the remote as far as the answer takes. A commit that stays unknown is no ancestor: where that is wrong, it
 * errs on the side of deleting nothing.
 */
export async function descends(folder: string, ancestor: string, commit: string, git: Git = gitIn(folder)): Promise<boolean> {
  if (ancestor === commit) return true;
  const isAncestor = async () => (await git(["merge-base", "--is-ancestor", ancestor, commit])).code === 0;
  if (await isAncestor()) return true;
  return await inTurn(folder, async () => {
    // Whoever had the turn before may have fetched it.
    if (await isAncestor()) return true;
    for (const more of DEEPER) {
      if (!(await deepen(more, git))) return false;
      if (await isAncestor()) return true;
    }
    return false;
  });
}

/** True where history still ends before the first commit: what `descends` denies may then be so all the same. */
export async function isShallow(folder: string, git: Git = gitIn(folder)): Promise<boolean> {
  return (await git(["rev-parse", "--is-shallow-repository"])).stdout.trim() === "true";
}

/** False where there is nothing more to fetch, or nobody to fetch it from. */
async function deepen(more: string, git: Git): Promise<boolean> {
  if (!(await isShallow("", git))) return false;
  const remote = await remoteOf(git);
  return remote !== undefined && (await git(["fetch", "--quiet", "--no-tags", more, remote])).code === 0;
}

const turns = new Map<string, Promise<unknown>>();

/** One after the other for one folder: git lets only one of its processes move the end of a shallow history. */
function inTurn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(folder) ?? Promise.resolve()).then(work, work);
  turns.set(folder, turn);
  return turn;
}

function outside(folder: string): Checkout {
  const author = async () => undefined;
  return { folder, root: undefined, commit: undefined, parents: [], author, dirty: false, differing: [], remote: undefined };
}

/** Which branch it is matters only where a branch has another remote than any would have. */
async function remoteOf(git: Git): Promise<string | undefined> {
  const settings = lines((await git(["config", "-z", "--get-regexp", REMOTES])).stdout).map((line) => {
    const [name = "", value = ""] = line.split("\n");
    return [name, value] as const;
  });
  const remotes = new Set(settings.filter(([name]) => name.startsWith("remote.")).map(([name]) => name.slice(7, name.lastIndexOf("."))));
  const usual = remotes.has("origin") ? "origin" : remotes.size === 1 ? [...remotes][0] : undefined;
  // The last word on a branch holds, and may be that it has none.
  const ofBranches = new Map(settings.filter(([name]) => name.startsWith("branch.")));
  const own = (remote: string | undefined): string | undefined => (remote === "" || remote === "." ? undefined : remote);
  if ([...ofBranches.values()].every((remote) => (own(remote) ?? usual) === usual)) return usual;
  const branch = (await git(["symbolic-ref", "--quiet", "--short", "HEAD"])).stdout.trim();
  return own(ofBranches.get(`branch.${branch}.remote`)) ?? usual;
}

/** What belongs to a remote, and the remotes of branches. */
const REMOTES = "^(remote[.].+[.][^.]+|branch[.].+[.]remote)$";
