import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import { redactUrls } from "../core/redact-urls.js";
import { loadDesired } from "../desired/load.js";
import type { LoadOptions } from "../desired/loaded.js";
import type { Checkout } from "./checkout/checkout.js";
import { type Git, type GitResult, gitIn } from "./checkout/git.js";

export interface RollbackOptions {
  readonly checkout: Checkout;
  /** Absolute path of `plumbline.yaml` in the checkout, symbolic links resolved. */
  readonly configurationFile: string;
  readonly commit: string;
  /** Pushes the revert to the upstream of the current branch. */
  readonly push: boolean;
  /** A commit that is already reverted counts as success, and no commit is created. */
  readonly mayBeDone?: boolean | undefined;
  /** Options to load the result, which must succeed before the commit is kept. */
  readonly load: Omit<LoadOptions, "resolveSecrets">;
}

export interface Rollback {
  /** The revert commit, or HEAD if the commit was already reverted. */
  readonly revert: string;
  readonly wasDone: boolean;
  readonly subject: string;
  /** For example `origin/main`. Undefined if not pushed. */
  readonly pushed: string | undefined;
  /** The agent accepts only signed commits, and this one is not signed. */
  readonly needsSignature: boolean;
}

/** Remote branch of a push. */
interface Upstream {
  readonly remote: string;
  readonly branch: string;
}

/**
 * Creates a commit that reverts another one, as `git revert` does. A temporary working tree with the revert must load completely. Then the
 * revert is pushed, if requested. The branch moves last, so a failure leaves no changes.
 * @throws PlumblineError `rollback-*`; PlumblineErrors for a desired state that does not load.
 */
export async function rollBack({ checkout, configurationFile, commit, push, mayBeDone, load }: RollbackOptions): Promise<Rollback> {
  const { root } = checkout;
  if (root === undefined || checkout.commit === undefined) throw notPossible("There is no git checkout here");
  if (checkout.dirty) throw notPossible("The checkout holds changes that are not committed");
  const git = gitIn(root);
  const sha = await find(git, commit);
  const upstream = push ? await upstreamOf(git, checkout.remote) : undefined;
  const folder = await mkdtemp(join(tmpdir(), "plumbline-rollback-"));
  try {
    must(await git(["worktree", "add", "--quiet", "--detach", folder, "HEAD"]), "making a working tree");
    const made = await revertIn(folder, sha);
    if (made === undefined && mayBeDone !== true)
      throw notPossible("The changes of the commit have already been reverted", "No rollback is needed, see `git log`.");
    const revert = made ?? checkout.commit;
    const needsSignature = await loads(join(folder, relative(root, configurationFile)), revert, git, load);
    const pushed = upstream === undefined ? undefined : await pushTo(git, upstream, revert);
    const moved = await git(["merge", "--quiet", "--ff-only", revert]);
    if (moved.code !== 0) throw notMoved(moved, revert, pushed);
    const subject = must(await git(["log", "-1", "--no-show-signature", "--format=%s", revert]), "reading the commit").stdout.trim();
    return { revert, wasDone: made === undefined, subject, pushed, needsSignature };
  } finally {
    await git(["worktree", "remove", "--force", folder]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Finds a commit of the branch. Its parent must exist: at the end of a shallow history, git treats all files as added. */
async function find(git: Git, commit: string): Promise<string> {
  const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{commit}`]);
  if (found.code !== 0)
    throw notPossible(`There is no commit ${commit} here`, "Name a commit of this branch. Fetch first if the commit is newer.");
  const sha = found.stdout.trim();
  if ((await git(["merge-base", "--is-ancestor", sha, "HEAD"])).code !== 0)
    throw notPossible(`Commit ${commit} is not part of the checked-out history`);
  if ((await git(["rev-parse", "--is-shallow-repository"])).stdout.trim() !== "true") return sha;
  const { stdout } = must(await git(["cat-file", "commit", sha]), "reading the commit");
  const header = stdout.slice(0, stdout.indexOf("\n\n"));
  if (/^parent /m.test(header) && (await parentsOf(git, sha)) === 0)
    throw notPossible(`The history of this checkout is cut at commit ${commit}`, "Run `git fetch --unshallow`, then again.");
  return sha;
}

async function parentsOf(git: Git, sha: string): Promise<number> {
  const { stdout } = must(await git(["rev-list", "--parents", "-n", "1", sha]), "reading the commit");
  return stdout.trim().split(" ").length - 1;
}

/** Reverts a merge relative to its first parent. Undefined if the changes are already reverted. */
async function revertIn(folder: string, sha: string): Promise<string | undefined> {
  const git = gitIn(folder);
  const result = await git(["revert", "--no-edit", ...((await parentsOf(git, sha)) > 1 ? ["-m", "1"] : []), sha]);
  if (result.code !== 0) {
    const torn = (await git(["diff", "--name-only", "--diff-filter=U", "-z"])).stdout.split("\0").filter((name) => name !== "");
    if (torn.length > 0) throw await conflict(git, sha, torn);
    const nothing = /nothing to commit|is now empty|previous cherry-pick is now empty/i.test(result.stdout + result.stderr);
    if (nothing) return undefined;
    throw failed(result, "taking the commit back");
  }
  return must(await git(["rev-parse", "HEAD"]), "reading the commit").stdout.trim();
}

/** Error with the conflicting files and the later commits that changed them, which must be reverted first. */
async function conflict(git: Git, sha: string, files: readonly string[]): Promise<PlumblineError> {
  const { stdout } = await git(["log", "--no-show-signature", "--no-merges", "--format=%h %s", `${sha}..HEAD`, "--", ...files]);
  const later = stdout.split("\n").filter((row) => row !== "");
  const names = later.length === 0 ? "" : `: ${listOf(later.map((row) => row.slice(0, 80)))}`;
  return new PlumblineError(
    "rollback-conflict",
    `Later commits changed the same lines of ${listOf(files)} as ${sha.slice(0, 12)}${names}.`,
    {
      next: "Revert those first, the newest before the others, or edit the files manually. Nothing was changed.",
      severity: "refused",
    },
  );
}

function listOf(names: readonly string[]): string {
  const more = names.length - 5;
  return more > 0 ? `${names.slice(0, 5).join(", ")} and ${more} more` : names.join(", ");
}

/** Checks that the desired state loads with the revert. Returns whether the revert lacks a required signature. */
async function loads(file: string, revert: string, git: Git, load: RollbackOptions["load"]): Promise<boolean> {
  try {
    const { configuration } = await loadDesired(file, { ...load, resolveSecrets: false });
    if (configuration.agent.source.signatures === undefined) return false;
    const { stdout } = must(await git(["cat-file", "commit", revert]), "reading the commit");
    return !/^gpgsig/m.test(stdout.slice(0, stdout.indexOf("\n\n")));
  } catch (error) {
    const errors = error instanceof PlumblineErrors ? error.errors : error instanceof PlumblineError ? [error] : undefined;
    if (errors === undefined) throw error;
    const why = notPossible(
      "Without the commit the desired state does not load; the places above are in the files as they would be",
      "Revert other commits with it, the newest first, or edit the files manually. Nothing was changed.",
    );
    throw new PlumblineErrors([...errors, why]);
  }
}

async function upstreamOf(git: Git, remote: string | undefined): Promise<Upstream> {
  const branch = (await git(["symbolic-ref", "--quiet", "--short", "HEAD"])).stdout.trim();
  if (branch === "")
    throw notPossible("No branch is checked out, so there is no branch to push to", "Check the branch out that the agent follows.");
  if (remote === undefined) throw notPossible("There is no remote to push to", "Leave --push out, or `git remote add` one.");
  const followed = (await git(["config", "--get", `branch.${branch}.merge`])).stdout.trim();
  return { remote, branch: followed === "" ? branch : followed.replace(/^refs\/heads\//, "") };
}

async function pushTo(git: Git, { remote, branch }: Upstream, revert: string): Promise<string> {
  const result = await git(["push", "--quiet", remote, `${revert}:refs/heads/${branch}`]);
  if (result.code === 0) return `${remote}/${branch}`;
  const isBehind = /\[rejected\]|fetch first|non-fast-forward/.test(result.stderr);
  throw failed(
    result,
    `pushing to ${remote}/${branch}`,
    isBehind
      ? "There are newer commits: `git pull --rebase`, then run it again. Nothing was changed."
      : "Fix the problem that git reports, or omit --push and push or open a pull request yourself. Nothing was changed.",
  );
}

function notMoved(result: GitResult, revert: string, pushed: string | undefined): PlumblineError {
  const next =
    pushed === undefined
      ? "Fix the problem that git reports, then run it again. Nothing was changed."
      : `Commit ${revert.slice(0, 12)} is on ${pushed}, and the agent will use it. Fix the problem that git reports, then \`git pull\` here.`;
  return failed(result, "moving the branch", next);
}

function must(result: GitResult, doing: string): GitResult {
  if (result.code === 0) return result;
  throw failed(result, doing);
}

function failed(
  result: GitResult,
  doing: string,
  next = "Fix the problem that git reports, then run it again. Nothing was changed.",
): PlumblineError {
  return new PlumblineError("rollback-failed", `git failed at ${doing}: ${redactUrls(reasonIn(result))}`, { next });
}

/** Git's error message, without addresses before it and hints after it. */
function reasonIn({ stderr, stdout, code }: GitResult): string {
  const rows = `${stderr}\n${stdout}`.split("\n").map((row) => row.trim());
  const telling = rows.filter((row) => /^(?:fatal|error|remote): |^! \[/.test(row) && !/^error: failed to push some refs/.test(row));
  return (telling.length > 0 ? telling.slice(0, 3).join("; ") : rows.find((row) => row !== "")) ?? `it ended with ${code}`;
}

function notPossible(
  message: string,
  next = "Commit or stash the changes, and run it in the checkout whose branch the agent follows.",
): PlumblineError {
  return new PlumblineError("rollback-not-possible", `${message}.`, { next, severity: "refused" });
}
