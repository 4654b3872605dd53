import type { Clone } from "./clone.js";

/** Author, time and message of a commit. */
export interface CommitFacts {
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** First line of the message. */
  readonly message: string;
}

/** Maximum number of characters of a name and of a message. */
const MOST = 200;

/** Returns undefined if the clone does not contain the commit. These facts are only displayed, so a failure does not start a new clone. */
export async function describeCommit(clone: Pick<Clone, "run">, commit: string): Promise<CommitFacts | undefined> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return undefined;
  const { code, stdout } = await clone.run(["log", "-1", "--no-show-signature", "--format=%an%x00%ct%x00%s", commit, "--"]);
  const [author, at, message] = stdout.trimEnd().split("\0");
  if (code !== 0 || author === undefined || at === undefined || message === undefined) return undefined;
  return { author: author.slice(0, MOST), at: Number(at) * 1000, message: message.slice(0, MOST) };
}
