import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import type { Git } from "../../engine/checkout/git.js";
import { gitIn } from "../../engine/checkout/git.js";

/** Runs `work` in a temporary working tree at `commit`, so that the files of the checkout do not change. */
export async function inWorktree<T>(root: string, commit: string, work: (folder: string) => Promise<T>): Promise<T> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "plumbline-propose-")));
  const folder = join(base, "tree");
  const git = gitIn(root);
  try {
    await must(git, ["worktree", "add", "--quiet", "--detach", folder, commit]);
    return await work(folder);
  } finally {
    await git(["worktree", "remove", "--force", folder]);
    await rm(base, { recursive: true, force: true });
    await git(["worktree", "prune"]);
  }
}

/** Reverts all edits of tracked files in a working tree. */
export async function restore(folder: string): Promise<void> {
  await must(gitIn(folder), ["checkout", "--quiet", "--force", "HEAD", "--", "."]);
}

/** Commits all changes in a working tree and returns the new commit. Undefined if there are no changes. */
export async function commitAll(folder: string, message: string): Promise<string | undefined> {
  const git = gitIn(folder);
  await must(git, ["add", "--all"]);
  if ((await git(["diff", "--cached", "--quiet"])).code === 0) return undefined;
  const known = (await git(["config", "user.email"])).stdout.trim() !== "" || (process.env.GIT_AUTHOR_EMAIL ?? "") !== "";
  const identity = known ? [] : ["-c", "user.name=Plumbline", "-c", "user.email=plumbline@localhost"];
  // Signing may need a passphrase, and an unattended run cannot enter one.
  await must(git, ["-c", "commit.gpgSign=false", ...identity, "commit", "--quiet", "--file", "-"], message);
  return (await must(git, ["rev-parse", "HEAD"])).trim();
}

/** Returns the files that differ between two commits, relative to `folder`. Undefined if git cannot compare them, as in a shallow clone. */
export async function changedSince(folder: string, from: string, to: string): Promise<ReadonlySet<string> | undefined> {
  const { code, stdout } = await gitIn(folder)(["diff", "--name-only", "--relative", "-z", from, to, "--", "."]);
  return code === 0 ? new Set(stdout.split("\0").filter((file) => file !== "")) : undefined;
}

/** Returns the commit of a branch on the remote. Undefined if there is no such branch. */
export async function remoteBranch(root: string, remote: string, branch: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await gitIn(root)(["ls-remote", "--heads", remote, `refs/heads/${branch}`]);
  if (code !== 0) throw unpushable(branch, stderr);
  return stdout.split(/\s/, 1)[0] || undefined;
}

/** Pushes a commit as a branch. `over` is the commit to replace; undefined if the branch must not exist yet. */
export async function push(root: string, remote: string, branch: string, commit: string, over: string | undefined): Promise<void> {
  const lease = `--force-with-lease=refs/heads/${branch}:${over ?? ""}`;
  const { code, stderr } = await gitIn(root)(["push", "--quiet", lease, remote, `${commit}:refs/heads/${branch}`]);
  if (code !== 0) throw unpushable(branch, stderr);
}

/** Deletes a branch of the remote if it is at `commit`. */
export async function removeRemote(root: string, remote: string, branch: string, commit: string): Promise<void> {
  const lease = `--force-with-lease=refs/heads/${branch}:${commit}`;
  const { code, stderr } = await gitIn(root)(["push", "--quiet", lease, remote, `:refs/heads/${branch}`]);
  // Some hosts delete the branch of a closed request themselves.
  if (code !== 0 && (await remoteBranch(root, remote, branch)) !== undefined) throw unpushable(branch, stderr);
}

/** Returns the commit of a local branch. Undefined if there is no such branch. */
export async function localBranch(root: string, branch: string): Promise<string | undefined> {
  const { code, stdout } = await gitIn(root)(["rev-parse", "--quiet", "--verify", `refs/heads/${branch}^{commit}`]);
  return code === 0 ? stdout.trim() : undefined;
}

export async function makeLocalBranch(root: string, branch: string, commit: string): Promise<void> {
  await must(gitIn(root), ["branch", "--no-track", branch, commit]);
}

/** Returns the branch that is checked out. Undefined for a detached HEAD. */
export async function currentBranch(root: string): Promise<string | undefined> {
  const { code, stdout } = await gitIn(root)(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return code === 0 ? stdout.trim() : undefined;
}

async function must(git: Git, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await git(args, input);
  if (code === 0) return stdout;
  throw new PlumblineError("proposal-not-committed", `git cannot create the proposal: ${plainWords(stderr)}`, {
    next: "Fix git in this checkout (it must be able to write .git), then run again.",
  });
}

function unpushable(branch: string, stderr: string): PlumblineError {
  return new PlumblineError("proposal-not-pushed", `git cannot push ${branch}: ${plainWords(stderr)}`, {
    next: "Give git the right to push branches to this remote, or use --no-push to keep the branch here.",
  });
}

/** Returns the last three lines of an error of git, without credentials in URLs. */
function plainWords(stderr: string): string {
  return stderr
    .trim()
    .replaceAll(/\/\/[^@/\s]*@/g, "//")
    .split("\n")
    .slice(-3)
    .join(" ");
}
