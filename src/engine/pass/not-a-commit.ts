import type { Change } from "../../plan/diff/change.js";
import { deletedEntries } from "../../guards/registry.js";
import type { Plan, Refusal } from "../../plan/model.js";
import type { Checkout } from "../checkout/checkout.js";
import type { TargetContext } from "./context.js";

const GUARD = "dirty";

/** Names of differing files that a warning has room for. */
const SHOWN = 3;

/** Warnings for a desired state outside of a commit: a file may be truncated or missing. */
export function treeWarnings({ root, commit, differing }: Checkout): string[] {
  if (root === undefined) return ["the desired state is in no git repository: its completeness cannot be checked"];
  if (differing.length === 0) return [];
  const more = differing.length > SHOWN ? ` and ${differing.length - SHOWN} more` : "";
  return [
    `the desired state is not a commit: ${differing.slice(0, SHOWN).join(", ")}${more} differ from ${commit?.slice(0, 8) ?? "no commit"}`,
  ];
}

/** Refuses deletions if files differ from the commit: an object that such files lack may be missing by mistake. */
export function refuseDirtyDeletes({ checkout, options }: TargetContext, { changes }: Plan): Refusal[] {
  if (checkout.differing.length === 0) return [];
  const losing = changes.filter((change) => lossOf(change) > 0);
  const total = losing.reduce((sum, change) => sum + lossOf(change), 0);
  const [first] = losing;
  if (first === undefined || total <= Number(options.allow.get(GUARD) ?? 0)) return [];
  const what = `${total} ${total === 1 ? "thing" : "things"} would be deleted, and the desired state is not a commit`;
  const message = `${what}: a file may be truncated or missing. Commit the changes, or check each deletion.`;
  return [{ guard: GUARD, message, path: first.path, allow: `--allow ${GUARD}=${total}` }];
}

/** Number of entries, nodes or members that a change removes. Replacing a member of a list counts as zero. */
function lossOf(change: Change): number {
  if (change.kind === "extra") return Math.max(1, deletedEntries([change]).length);
  if (change.kind !== "differs") return 0;
  return Math.max(0, change.before.children.length - change.after.children.length);
}
