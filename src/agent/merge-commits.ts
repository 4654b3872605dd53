import type { NewCommit } from "./source.js";

/** Merges a newer commit with an earlier one that was never activated. The result touches the targets of either commit. */
export function mergeCommits(before: NewCommit | undefined, news: NewCommit | undefined): NewCommit | undefined {
  if (before === undefined || news === undefined) return news ?? before;
  const touched = [...before.affected, ...news.affected].filter((target) => news.index.targets.has(target));
  return { ...news, previous: before.previous, affected: new Set(touched) };
}
