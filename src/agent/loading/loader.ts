import type { CommitIndex, TargetIndex } from "../commit-index.js";
import { type CommitToLoad, type LoadedCommit, loadChanged, loadCompletely } from "../load-commit.js";

/** The last commit that loaded completely, and the files that changed since. */
export interface Since {
  readonly before: CommitIndex;
  /** Relative to the root of the repository, with forward slashes. */
  readonly changed: readonly string[];
  /** Folder of plumbline.yaml, in the same form. Empty for the root. */
  readonly folder: string;
}

/** Result of a load. It contains only plain data, so that it can be sent between processes. */
export interface LoadedTargets {
  readonly targets: ReadonlyMap<string, TargetIndex>;
  /** Targets that the commit touches. All targets if there is no earlier commit. */
  readonly affected: ReadonlySet<string>;
}

/** Loads the changes of a commit without its secrets. @throws PlumblineErrors with all errors in it */
export type CommitLoader = (wanted: CommitToLoad, since: Since | undefined) => Promise<LoadedTargets>;

/** Loads in this process, which is blocked until the commit is loaded. */
export const loadHere: CommitLoader = async (wanted, since) => {
  const loaded = since === undefined ? await loadCompletely(wanted) : await loadSince(wanted, since);
  return { targets: loaded.index.targets, affected: loaded.affected };
};

/** The earlier commit was read from another folder. */
async function loadSince(wanted: CommitToLoad, { before, changed, folder }: Since): Promise<LoadedCommit> {
  const parsed = { ...before.parsed, file: wanted.file };
  return await loadChanged(wanted, { ...before, parsed }, changed, folder);
}
