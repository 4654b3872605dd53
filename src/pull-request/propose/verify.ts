import { join } from "node:path";
import { PlumblineErrors } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import { loadDesired } from "../../desired/load.js";
import type { LoadedDesired, LoadOptions } from "../../desired/loaded.js";
import type { Change } from "../../plan/diff/change.js";
import { applyIgnores, diff } from "../../plan/diff/diff.js";
import type { Refused } from "./candidates.js";
import type { ProposalDraft } from "./proposal-draft.js";

type Accepted = ProposalDraft["accepted"][number];

/**
 * Loads the edited desired state and compares it with the live state, like a plan. Returns the candidates whose differences remain or whose
 * files no longer load, with the reasons.
 */
export async function unsettled(accepted: readonly Accepted[], configurationFile: string, options: LoadOptions): Promise<Refused[]> {
  let loaded: LoadedDesired;
  try {
    loaded = await loadDesired(configurationFile, options);
  } catch (error) {
    if (!(error instanceof PlumblineErrors)) throw error;
    return brokenBy(error, accepted);
  }
  const remaining = new Map<string, readonly Change[]>();
  return accepted.flatMap((candidate): Refused[] => {
    const { name } = candidate.survey.context;
    const changes = remaining.get(name) ?? changesOf(candidate, loaded);
    remaining.set(name, changes);
    const { path } = candidate.item.change;
    return changes.some((change) => touches(change.path, path)) ? [{ ...candidate, why: "an edit of its file does not settle it" }] : [];
  });
}

function changesOf({ survey }: Accepted, loaded: LoadedDesired): readonly Change[] {
  const desired = loaded.targets.get(survey.context.name);
  if (desired === undefined) return survey.drift.items.map(({ change }) => change);
  const { changes } = diff({
    desired: applyIgnores(desired.root, survey.live, desired.ignores),
    live: survey.live,
    shape: survey.shape,
    owner: survey.context.owner,
    only: survey.context.options.selection.only,
    secretState: () => "unknown",
  });
  return changes;
}

/** Returns true for the node or a node in it. A change in an entry does not affect the order of its list. */
function touches(remaining: Path, settled: Path): boolean {
  return settled.contains(remaining) && (remaining.equals(settled) || settled.name !== undefined || remaining.depth === settled.depth + 1);
}

function brokenBy({ errors }: PlumblineErrors, accepted: readonly Accepted[]): Refused[] {
  const reasons = new Map(errors.map((error) => [error.where.file ?? "", error.message]));
  const named = accepted.filter(({ file }) => reasons.has(file));
  const [first] = errors;
  const why = (file: string) => `its file would not load: ${reasons.get(file) ?? first?.message ?? ""}`;
  return (named.length > 0 ? named : accepted).map((candidate) => ({ ...candidate, why: why(candidate.file) }));
}

/** Returns load options for the temporary working tree. Secrets are not read, and checks against live trees are skipped. */
export function quietly(options: Pick<LoadOptions, "environment" | "kinds" | "today">): LoadOptions {
  return { ...options, resolveSecrets: false, live: { values: () => "later", nodes: () => "later" } };
}

export function configurationIn(root: string, folder: string, name: string): string {
  return join(root, folder, name);
}
