import type { CommitIndex, TargetIndex } from "../commit-index.js";
import { type CommitToLoad, type LoadedCommit, loadChanged, loadWhole } from "../load-commit.js";

/** The commit that loaded whole before, and what differs from it. */
export interface Since {
  readonly before: CommitIndex;
  /** Relative to the root of the repository, with forward slashes. */
  readonly changed: readonly string[];
  /** Of plumbline.yaml, in the same way; empty for the root. */
  readonly folder: string;
}

/** What a commit came to: names and texts alone, so that it can come from another process. */
export interface LoadedTargets {
  readonly targets: ReadonlyMap<string, TargetIndex>;
  /** Targets that the commit touches; all of them where there is no commit before it. */
  readonly affected: ReadonlySet<string>;
}

/** Loads a commit, without its secrets, as far as it differs from one before. @throws PlumblineErrors with everything that is wrong in it */
export type CommitLoader = (wanted: CommitToLoad, since: Since | undefined) => Promise<LoadedTargets>;

/** Loads in this very process: it and all that it does wait until the commit is loaded. */
export const loadHere: CommitLoader = async (wanted, since) => {
  const loaded = since === undefined ? await loadWhole(wanted) : await loadSince(wanted, since);
  return { targets: loaded.index.targets, affected: loaded.affected };
};

/** What was read of the commit before lay elsewhere. */
async function loadSince(wanted: CommitToLoad, { before, changed, folder }: Since): Promise<LoadedCommit> {
  const parsed = { ...before.parsed, file: wanted.file };
  return await loadChanged(wanted, { ...before, parsed }, changed, folder);
}
