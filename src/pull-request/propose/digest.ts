import { createHash } from "node:crypto";
import { canonicalText } from "../../core/tree/canonical.js";
import type { Change } from "../../plan/diff/change.js";
import type { Candidate } from "./candidates.js";

/**
 * Returns 12 hexadecimal digits of a SHA-256 that identify a drift. They depend only on the differences, not on their authors, their times
 * or the commit.
 */
export function driftDigest(candidates: readonly Candidate[]): string {
  const rows = candidates.map(({ survey, item }) => JSON.stringify([survey.context.name, ...said(item.change, survey)]));
  return createHash("sha256").update(rows.sort().join("\n")).digest("hex").slice(0, 12);
}

function said(change: Change, { shape }: Candidate["survey"]): readonly unknown[] {
  const path = change.path.toString();
  switch (change.kind) {
    case "missing":
      return [change.kind, path];
    case "extra":
    case "unmanaged":
    case "differs": {
      const at = change.path
        .steps()
        .slice(1)
        .reduce((one, step) => one.child(step.tag), shape);
      return [change.kind, path, canonicalText(change.before, at)];
    }
    case "order":
      return [change.kind, path, change.before];
    case "renamed":
      return [change.kind, path, change.from, change.to];
  }
}
