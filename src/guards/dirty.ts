import type { Change } from "../plan/diff/change.js";
import type { Refusal } from "../plan/model.js";
import { deletedEntries } from "../plan/touched-lists.js";
import type { RunFacts } from "./context.js";

const GUARD = "dirty";

/** Refuses deletions if files differ from the commit: an object that such files lack may be missing by mistake. */
export function refuseDirtyDeletes({ differing, allow, plan: { changes } }: RunFacts): Refusal[] {
  if (differing.length === 0) return [];
  const losing = changes.filter((change) => lossOf(change) > 0);
  const total = losing.reduce((sum, change) => sum + lossOf(change), 0);
  const [first] = losing;
  if (first === undefined || total <= allow.count(GUARD)) return [];
  const what = `${total} ${total === 1 ? "deletion" : "deletions"} by a desired state with uncommitted changes`;
  const message = `${what}: a file may be truncated or missing. Commit the changes, or check each deletion.`;
  return [{ guard: GUARD, message, path: first.path, allow: `--allow ${GUARD}=${total}` }];
}

/** Number of entries, nodes or members that a change removes. Replacing a member of a list counts as zero. */
function lossOf(change: Change): number {
  if (change.kind === "extra") return Math.max(1, deletedEntries([change]).length);
  if (change.kind !== "differs") return 0;
  return Math.max(0, change.before.children.length - change.after.children.length);
}
