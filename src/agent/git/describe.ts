import type { Clone } from "./clone.js";

/** Who made a commit, when and what for. */
export interface CommitFacts {
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The first line of its message. */
  readonly message: string;
}

/** Characters of a name and of a message that are shown. */
const MOST = 200;

/** Undefined where the clone does not know the commit (any more): what is only shown makes nobody wait for a clone made anew. */
export async function describeCommit(clone: Pick<Clone, "run">, commit: string): Promise<CommitFacts | undefined> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return undefined;
  const { code, stdout } = await clone.run(["log", "-1", "--no-show-signature", "--format=%an%x00%ct%x00%s", commit, "--"]);
  const [author, at, message] = stdout.trimEnd().split("\0");
  if (code !== 0 || author === undefined || at === undefined || message === undefined) return undefined;
  return { author: author.slice(0, MOST), at: Number(at) * 1000, message: message.slice(0, MOST) };
}
