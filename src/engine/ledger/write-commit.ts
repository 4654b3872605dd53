import type { Git, GitResult } from "../checkout/git.js";

/** A commit of one file. */
export interface OneFile {
  /** Without folders. */
  readonly name: string;
  readonly text: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Not the user's identity, so that variables such as `GIT_AUTHOR_NAME` have no effect. */
const AUTHOR = "plumbline <plumbline@localhost>";

/**
 * Writes a commit with its tree and file to the repository, and returns its id. No ref and no working tree changes.
 * @throws Error with the message of git, for example if a parent is missing
 */
export async function writeCommit(git: Git, { name, text, parents, message, time }: OneFile): Promise<string> {
  // Git writes a commit without its parent, and cannot push it later.
  for (const parent of parents) await run(git, ["cat-file", "-e", `${parent}^{commit}`]);
  const blob = await run(git, ["hash-object", "-w", "--stdin"], text);
  const tree = await run(git, ["mktree"], `100644 blob ${blob}\t${name}\n`);
  const by = `${AUTHOR} ${Math.floor(time / 1000)} +0000`;
  const rows = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${by}`, `committer ${by}`];
  return await run(git, ["hash-object", "-t", "commit", "-w", "--stdin"], `${rows.join("\n")}\n\n${message}\n`);
}

async function run(git: Git, args: readonly string[], input?: string): Promise<string> {
  return must(await git(args, input)).stdout.trim();
}

/** @throws Error with the message of git if it failed */
export function must(result: GitResult): GitResult {
  if (result.code === 0) return result;
  throw new Error(result.stderr.trim() || `git ended with ${result.code}`);
}
