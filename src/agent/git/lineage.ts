import { PlumblineError } from "../../core/errors.js";
import type { Clone } from "./clone.js";

/** Rules for the history of accepted commits. */
export interface LineagePolicy {
  /** Accept a commit that does not descend from the active commit. */
  readonly allowRewind: boolean;
  /** Each commit must be this one or a descendant of it. */
  readonly ancestor: string | undefined;
}

/**
 * Checks the position of a commit in the history. A signature does not protect against a branch that is set to an older signed commit or to
 * one of another branch. Both are refused here.
 * @param before The last active commit, also before a restart.
 * @throws PlumblineError `commit-rewound`, `commit-ancestor-missing` (both refused)
 */
export async function requireLineage(clone: Clone, commit: string, before: string | undefined, policy: LineagePolicy): Promise<void> {
  const { ancestor, allowRewind } = policy;
  if (ancestor !== undefined && !(await clone.descends(ancestor, commit))) throw notAfter(commit, ancestor);
  if (allowRewind || before === undefined || (await clone.descends(before, commit))) return;
  throw rewound(commit, before);
}

function rewound(commit: string, before: string): PlumblineError {
  return new PlumblineError("commit-rewound", `Commit ${short(commit)} does not follow ${short(before)}, which is active.`, {
    next: "Push a commit that descends from it (for example with git revert). To accept the rewind, start the agent once with agent.source.allowRewind: true.",
    severity: "refused",
  });
}

function notAfter(commit: string, ancestor: string): PlumblineError {
  return new PlumblineError("commit-ancestor-missing", `Commit ${short(commit)} does not come after ${short(ancestor)}.`, {
    next: "Push a commit of the branch that agent.source.ancestor is of, or correct that setting.",
    severity: "refused",
  });
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
