import { type Git, gitIn } from "./checkout/git.js";
import { PlumblineError } from "./errors.js";

/** Where the desired state comes from. Outside git everything but `folder` is undefined. */
export interface Checkout {
  readonly folder: string;
  /** Root of the working tree. */
  readonly root: string | undefined;
  /** Full sha of HEAD; undefined before the first commit. */
  readonly commit: string | undefined;
  /** `Name <address>` of the commit's author. */
  readonly author: string | undefined;
  /** Files under `folder` differ from HEAD. */
  readonly dirty: boolean;
  /** History is cut (`git clone --depth`): ancestors may be unknown. */
  readonly shallow: boolean;
  /** Remote that ledgers live on: that of the branch, else `origin`, else the only one; undefined without any. */
  readonly remote: string | undefined;
}

/**
 * Reads the state of the working tree around `folder`.
 * @throws PlumblineError `checkout-unreadable` when git is there but cannot read it (for example another user's files).
 */
export async function readCheckout(folder: string, git: Git = gitIn(folder)): Promise<Checkout> {
  const top = await git(["rev-parse", "--show-toplevel", "--is-shallow-repository"]);
  if (top.code !== 0) {
    if (top.code === 127 || /not a git repository/i.test(top.stderr)) return outside(folder);
    throw new PlumblineError("checkout-unreadable", `git cannot read the working tree: ${top.stderr.trim()}`, {
      where: { file: folder },
      next: "Make git work in this folder (see `git status` there), then run again.",
    });
  }
  const [root, shallow] = top.stdout.trimEnd().split("\n");
  const head = await git(["log", "-1", "--format=%H%n%an <%ae>"]);
  const [commit, author] = head.code === 0 ? head.stdout.trimEnd().split("\n") : [];
  const status = await git(["status", "--porcelain", "--untracked-files=normal", "--", "."]);
  return { folder, root, commit, author, dirty: status.stdout !== "", shallow: shallow === "true", remote: await remoteOf(git) };
}

/**
 * Whether `commit` is `ancestor` or comes after it. A commit that this repository does not know is no ancestor: in a
 * shallow clone that may be wrong, and errs on the side of deleting nothing.
 */
export async function descends(folder: string, ancestor: string, commit: string, git: Git = gitIn(folder)): Promise<boolean> {
  if (ancestor === commit) return true;
  return (await git(["merge-base", "--is-ancestor", ancestor, commit])).code === 0;
}

function outside(folder: string): Checkout {
  return { folder, root: undefined, commit: undefined, author: undefined, dirty: false, shallow: false, remote: undefined };
}

async function remoteOf(git: Git): Promise<string | undefined> {
  const branch = (await git(["symbolic-ref", "--quiet", "--short", "HEAD"])).stdout.trim();
  if (branch !== "") {
    const configured = (await git(["config", "--get", `branch.${branch}.remote`])).stdout.trim();
    if (configured !== "" && configured !== ".") return configured;
  }
  const remotes = (await git(["remote"])).stdout.split("\n").filter((line) => line !== "");
  return remotes.includes("origin") ? "origin" : remotes.length === 1 ? remotes[0] : undefined;
}
