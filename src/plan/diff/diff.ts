import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Change, Diff, Finding } from "./change.js";
import { withEmptiedContainers } from "./emptied-containers.js";
import type { DiffInput } from "./input.js";
import { ledgerExtras } from "./ledger-rows.js";
import { hintAtRenames } from "./rename-hints.js";
import { Results } from "./results.js";
import { TreeComparison } from "./tree-comparison.js";

export { applyIgnores } from "./ignores.js";
export type { DiffInput } from "./input.js";

/**
 * Compares live with desired state. Returns typed changes, each at the highest node that differs, in the order of desired state. Deletions
 * that come from the ledger follow. Findings are facts to report; some refuse the plan (docs/contributing/plan.md#what-is-compared). Pure, linear in
 * both trees and the ledger.
 */
export function diff(input: DiffInput): Diff {
  const found = ledgerExtras(input);
  const extras = found.filter(({ isUnmanaged, isOnlyFound }) => !isUnmanaged && !isOnlyFound);
  const results = new Results();
  new TreeComparison(input, results, new Set(extras.map((extra) => extra.node))).run();
  for (const { path, node } of withEmptiedContainers(extras, input)) results.add({ kind: "extra", path, before: node, reason: "ledger" });
  for (const { path } of found.filter((extra) => extra.isUnmanaged)) {
    const message =
      "Plumbline created it and no document declares it now, but its ownership mark is missing, so Plumbline does not delete it.";
    results.find("not-ours", path, message, -1, false);
  }
  for (const { path } of found.filter(({ isUnmanaged, isOnlyFound }) => isOnlyFound && !isUnmanaged)) {
    const unconfirmed = input.unconfirmed?.get(path.toString());
    const command = `plumbline adopt ${input.target ?? "TARGET"} --path "${path}"`;
    const message =
      unconfirmed === undefined
        ? `No document declares it now, and it existed before Plumbline managed it, so Plumbline does not delete it. To delete it: ${command}, then reconcile.`
        : `The ledger lists this object, but ${unconfirmed}, so Plumbline does not delete it. To delete it, delete it on the target, or declare it in one commit and remove it in the next.`;
    results.find("only-found", path, message, -1, false);
  }
  hintAtRenames(results);
  const { findings, remaining, unmanaged } = results;
  const placed: Diff = { changes: results.placed(), findings, remaining, unmanaged };
  return input.only === undefined ? placed : narrow(placed, input.only, input.desired);
}

/**
 * Returns the part of a difference at or below `only`. In a missing container around `only`, just that part is created. Other changes above
 * are omitted. A missing entry above gives the finding `place-missing`.
 */
function narrow(diff: Diff, only: Path, desired: DesiredNode): Diff {
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
