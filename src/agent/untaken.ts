import type { NewCommit } from "./source.js";

/** A newer commit, with all that one before it, which was never taken up, has touched. */
export function together(before: NewCommit | undefined, news: NewCommit | undefined): NewCommit | undefined {
  if (before === undefined || news === undefined) return news ?? before;
  const touched = [...before.affected, ...news.affected].filter((target) => news.index.targets.has(target));
  return { ...news, previous: before.previous, affected: new Set(touched) };
}
