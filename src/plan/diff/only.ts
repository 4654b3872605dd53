import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Change, Diff, Finding } from "./change.js";

/**
 * Returns the part of a difference at or below `only`. In a missing container around `only`, just that part is created. Other changes above
 * are omitted. A missing entry above gives the finding `place-missing`.
 */
export function narrow(diff: Diff, only: Path, desired: DesiredNode): Diff {
  const findings: Finding[] = diff.findings.filter((finding) => only.contains(finding.path));
  const changes: Change[] = [];
  for (const change of diff.changes) {
    if (only.contains(change.path)) changes.push(change);
    else if (change.kind === "missing" && change.path.contains(only)) {
      const after = find(desired, only);
      if (after === undefined || !after.declared) continue;
      if (frameOnly(change.path, only)) changes.push({ kind: "missing", path: only, after });
      else findings.push(missingAround(change.path, only, after.origin));
    }
  }
  const remaining = diff.remaining.filter(({ path }) => only.contains(path));
  return { changes, findings, remaining, unmanaged: diff.unmanaged?.filter((path) => only.contains(path)) };
}

/** Returns whether no step from `missing` to the parent of `only` is an entry: an entry cannot be created in part. */
function frameOnly(missing: Path, only: Path): boolean {
  for (let at = only.parent; at !== undefined && at.depth >= missing.depth; at = at.parent) if (at.name !== undefined) return false;
  return true;
}

function missingAround(missing: Path, only: Path, origin: number): Finding {
  const message = `${missing} does not exist on the target and must be created completely: plan ${missing} instead.`;
  return { kind: "place-missing", path: only, message, origin, refuses: true };
}
