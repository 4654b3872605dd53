import type { Change, Finding } from "../../../src/plan/diff/change.js";
import { type DiffInput, diff } from "../../../src/plan/diff/diff.js";
import { desired, live, shape } from "./trees.js";

/** Changes and findings of two trees, one short line each. */
export function compare(wanted: string, found: string, more: Partial<DiffInput> = {}): string[] {
  const input: DiffInput = { desired: desired(wanted), live: live(found), shape, secretState: () => "unknown", ...more };
  const { changes, findings } = diff(input);
  return [...changes.map(changeLine), ...findings.map(findingLine)];
}

function changeLine(change: Change): string {
  const base = `${change.kind} ${change.path}`;
  if (change.kind === "extra") return `${base} (${change.reason})`;
  if (change.kind === "order") return `${base} ${change.before.join(",")} -> ${change.after.join(",")} moving ${change.moved.join(",")}`;
  return change.kind === "renamed" ? `${base} from ${change.from}` : base;
}

function findingLine(finding: Finding): string {
  return `${finding.refuses ? "REFUSES " : ""}${finding.kind} ${finding.path}`;
}
