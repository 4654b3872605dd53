import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { withoutCredentials } from "./agent/git/address.js";
import { type Git, type GitResult, gitIn } from "./checkout/git.js";
import type { Checkout } from "./checkout.js";
import type { LoadOptions } from "./desired/loaded.js";
import { loadDesired } from "./desired.js";
import { PlumblineError } from "./errors.js";

export interface RollbackOptions {
  readonly checkout: Checkout;
  /** Absolute path of `plumbline.yaml` in the checkout, symbolic links resolved. */
  readonly configurationFile: string;
  readonly commit: string;
  /** Push the revert to the branch that is checked out. */
  readonly push: boolean;
  /** What comes of it must load before it is kept. */
  readonly load: Omit<LoadOptions, "resolveSecrets">;
}

export interface Rollback {
  /** The commit that takes the other back. */
  readonly revert: string;
  readonly subject: string;
  /** `origin/main`, where it was pushed. */
  readonly pushed: string | undefined;
}

/**
 * Writes a commit that takes another one back, as `git revert` does. It is made in a working tree of its own and held to
 * load whole; the branch moves to it only then, so that a conflict leaves nothing behind.
 * @throws PlumblineError `rollback-*`; PlumblineErrors for a desired state that does not load.
 */
export async function rollBack({ checkout, configurationFile, commit, push, load }: RollbackOptions): Promise<Rollback> {
  const { root } = checkout;
  if (root === undefined || checkout.commit === undefined) throw notPossible("There is no git checkout here");
  if (checkout.dirty) throw notPossible("The checkout holds changes that are not committed");
  const git = gitIn(root);
  const found = await git(["rev-parse", "--verify", "--quiet", `${commit}^{commit}`]);
  if (found.code !== 0)
    throw notPossible(`There is no commit ${commit} here`, "Name a commit of this branch; fetch first where it is newer.");
  const sha = found.stdout.trim();
  if ((await git(["merge-base", "--is-ancestor", sha, "HEAD"])).code !== 0)
    throw notPossible(`Commit ${commit} is not part of what is checked out`);
  const folder = await mkdtemp(join(tmpdir(), "plumbline-rollback-"));
  try {
    must(await git(["worktree", "add", "--quiet", "--detach", folder, "HEAD"]), "making a working tree");
    const revert = await revertIn(folder, sha);
    await loadDesired(join(folder, relative(root, configurationFile)), { ...load, resolveSecrets: false });
    must(await git(["merge", "--quiet", "--ff-only", revert]), "moving the branch");
    const subject = must(await git(["log", "-1", "--format=%s", revert]), "reading the commit").stdout.trim();
    return { revert, subject, pushed: push ? await pushTo(git, checkout.remote) : undefined };
  } finally {
    await git(["worktree", "remove", "--force", folder]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** A merge is taken back towards its first parent: the branch that it went into. */
async function revertIn(folder: string, sha: string): Promise<string> {
  const git = gitIn(folder);
  const parents =
    must(await git(["rev-list", "--parents", "-n", "1", sha]), "reading the commit")
      .stdout.trim()
      .split(" ").length - 1;
  const result = await git(["revert", "--no-edit", ...(parents > 1 ? ["-m", "1"] : []), sha]);
  if (result.code !== 0) {
    const nothing = /nothing to commit|is now empty|previous cherry-pick is now empty/i.test(result.stdout + result.stderr);
    if (nothing) throw notPossible("What the commit did has been taken back before", "See `git log`; there is nothing to do.");
    throw new PlumblineError("rollback-conflict", `Later commits changed the same lines as ${sha.slice(0, 12)}: ${firstLine(result)}`, {
      next: "Take those back first, the newest before the others, or edit the files by hand.",
      severity: "refused",
    });
  }
  return must(await git(["rev-parse", "HEAD"]), "reading the commit").stdout.trim();
}

async function pushTo(git: Git, remote: string | undefined): Promise<string> {
  const branch = (await git(["symbolic-ref", "--quiet", "--short", "HEAD"])).stdout.trim();
  if (remote === undefined || branch === "")
    throw notPossible("There is no remote, or no branch is checked out", "Push the commit yourself.");
  must(await git(["push", "--quiet", remote, `HEAD:refs/heads/${branch}`]), "pushing");
  return `${remote}/${branch}`;
}

function must(result: GitResult, doing: string): GitResult {
  if (result.code === 0) return result;
  throw new PlumblineError("rollback-failed", `git failed at ${doing}: ${withoutCredentials(firstLine(result))}`, {
    next: "Correct what git says, then run again; nothing else was changed.",
  });
}

function firstLine({ stderr, stdout }: GitResult): string {
  return (stderr.trim() || stdout.trim()).split("\n")[0] ?? "";
}

function notPossible(
  message: string,
  next = "Commit or put away what is there, and run it in the checkout whose branch the agent follows.",
): PlumblineError {
  return new PlumblineError("rollback-not-possible", `${message}.`, { next, severity: "refused" });
}
