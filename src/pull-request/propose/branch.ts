import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import type { Git } from "../../engine/checkout/git.js";
import { gitIn } from "../../engine/checkout/git.js";

/** Runs `work` in a working tree of its own at `commit`, so that nothing of the checkout is touched; it is gone afterwards. */
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

/** Takes back every edit in a working tree. */
export async function restore(folder: string): Promise<void> {
  await must(gitIn(folder), ["checkout", "--quiet", "--force", "HEAD", "--", "."]);
}

/** Commits all that changed in a working tree and gives the new commit; undefined where nothing did. */
export async function commitAll(folder: string, message: string): Promise<string | undefined> {
  const git = gitIn(folder);
  await must(git, ["add", "--all"]);
  if ((await git(["diff", "--cached", "--quiet"])).code === 0) return undefined;
  const known = (await git(["config", "user.email"])).stdout.trim() !== "" || (process.env.GIT_AUTHOR_EMAIL ?? "") !== "";
  const identity = known ? [] : ["-c", "user.name=Plumbline", "-c", "user.email=plumbline@localhost"];
  // A machine makes the proposal, so no person can enter a passphrase.
  await must(git, ["-c", "commit.gpgSign=false", ...identity, "commit", "--quiet", "--file", "-"], message);
  return (await must(git, ["rev-parse", "HEAD"])).trim();
}

/** Files that differ between two commits, relative to `folder`; undefined where the earlier one is not known here. */
export async function changedSince(folder: string, from: string, to: string): Promise<ReadonlySet<string> | undefined> {
  const { code, stdout } = await gitIn(folder)(["diff", "--name-only", "--relative", "-z", from, to, "--", "."]);
  return code === 0 ? new Set(stdout.split("\0").filter((file) => file !== "")) : undefined;
}

/** The commit that a branch of the remote is at; undefined where there is none. */
export async function remoteBranch(root: string, remote: string, branch: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await gitIn(root)(["ls-remote", "--heads", remote, `refs/heads/${branch}`]);
  if (code !== 0) throw unpushable(branch, stderr);
  return stdout.split(/\s/, 1)[0] || undefined;
}

/** Pushes a commit as a branch; `over` is what the branch may hold until now. */
export async function push(root: string, remote: string, branch: string, commit: string, over: string | undefined): Promise<void> {
  const lease = `--force-with-lease=refs/heads/${branch}:${over ?? ""}`;
  const { code, stderr } = await gitIn(root)(["push", "--quiet", lease, remote, `${commit}:refs/heads/${branch}`]);
  if (code !== 0) throw unpushable(branch, stderr);
}

/** The commit of a branch of this repository. */
export async function localBranch(root: string, branch: string): Promise<string | undefined> {
  const { code, stdout } = await gitIn(root)(["rev-parse", "--quiet", "--verify", `refs/heads/${branch}^{commit}`]);
  return code === 0 ? stdout.trim() : undefined;
}

export async function makeLocalBranch(root: string, branch: string, commit: string): Promise<void> {
  await must(gitIn(root), ["branch", "--no-track", branch, commit]);
}

/** The branch that is checked out, if any. */
export async function currentBranch(root: string): Promise<string | undefined> {
  const { code, stdout } = await gitIn(root)(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return code === 0 ? stdout.trim() : undefined;
}

async function must(git: Git, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await git(args, input);
  if (code === 0) return stdout;
  throw new PlumblineError("proposal-not-committed", `git cannot make the proposal: ${plainWords(stderr)}`, {
    next: "Make git work in this checkout (it must be able to write .git), then run again.",
  });
}

function unpushable(branch: string, stderr: string): PlumblineError {
  return new PlumblineError("proposal-not-pushed", `git cannot push ${branch}: ${plainWords(stderr)}`, {
    next: "Give git the right to push branches to this remote, or use --no-push to keep the branch here.",
  });
}

/** What git says, without a name and password that an address may hold. */
function plainWords(stderr: string): string {
  return stderr
    .trim()
    .replaceAll(/\/\/[^@/\s]*@/g, "//")
    .split("\n")
    .slice(-3)
    .join(" ");
}
