import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { searchRoots } from "../../desired/query-subtrees.js";
import type { UnlistedChanges } from "../../guards/context.js";
import { FOREIGN_PENDING } from "../../guards/foreign-pending.js";
import { afterOperations } from "../../plan/after.js";
import { differences } from "../../plan/differences.js";
import type { Plan } from "../../plan/model.js";
import type { Capabilities } from "../../plan/platform.js";
import { uncommittedWritten } from "../../plan/uncommitted.js";
import { Journal } from "../apply/journal.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import { type Live, readLive } from "../live.js";
import { pendingOn } from "../pending-and-locks.js";
import type { ReadTarget } from "../target.js";
import { commitsUnknownChanges, mayCommitBlindly } from "./blind-commit.js";
import type { TargetContext } from "./context.js";
import { writtenSecrets } from "./secret-leaves.js";

/** A plan, its inputs, and a function that plans the same desired state against the running configuration. */
export interface PlanAndInputs {
  readonly plan: Plan;
  readonly live: Live;
  readonly record: LedgerRecord | undefined;
  readonly onRunning: (running: TreeNode) => Plan;
  /** XPaths of secrets that this run wrote and has not committed yet. */
  readonly written: ReadonlySet<string>;
}

/** No change of an unknown author is in the way. */
const NONE: UnlistedChanges = { areUnreadable: false, included: [], overwritten: [] };

/**
 * Returns uncommitted work that the commit would include or overwrite. Applies to devices that always commit everything and cannot list the
 * authors (docs/contributing/plan.md#without-a-list-of-changes).
 * Reads the complete tree, because a commit includes all of it. This is not needed if the device reports no uncommitted changes.
 */
export async function unlistedChanges(
  target: ReadTarget,
  capabilities: Capabilities,
  context: TargetContext,
  sides: PlanAndInputs,
): Promise<UnlistedChanges> {
  const { plan } = sides;
  if (!commitsUnknownChanges(capabilities) || context.options.overrides.allow.has(FOREIGN_PENDING)) return NONE;
  if (plan.operations.length === 0 && !plan.commitOnly) return NONE;
  if (capabilities.runningUnreadable === true) return mayCommitBlindly(capabilities, context) ? NONE : { ...NONE, areUnreadable: true };
  if (capabilities.pendingCheck === true && (await pendingOn(target)).length === 0) return NONE;
  const live = isComplete(sides.live, target, context) ? sides.live : await readEverything(target, capabilities, context);
  const complete = { ...sides, live };
  const overwritten = (await wasCutOff(context)) ? [] : writtenOver(complete, target);
  return { areUnreadable: false, included: carriedAlong(complete, target), overwritten };
}

/** All of the tree in which anything of anybody could be. */
export async function readEverything(target: ReadTarget, capabilities: Capabilities, { desired }: TargetContext): Promise<Live> {
  return await readLive(target, capabilities, searchRoots(target.shape, desired.root.tag));
}

function isComplete({ subtrees }: Live, { shape }: ReadTarget, { desired }: TargetContext): boolean {
  const read = new Set(subtrees.map(String));
  return searchRoots(shape, desired.root.tag).every((root) => read.has(root.toString()));
}

/** Differences between candidate and running that remain after the plan and are not part of the desired state. */
function carriedAlong({ plan, live: { candidate, running }, onRunning, written }: PlanAndInputs, { shape }: ReadTarget): Path[] {
  const at = Path.root.child(candidate.tag);
  if (running === undefined || differences(candidate, running, shape, at).length === 0) return [];
  const wanted = onRunning(running).operations;
  const secrets = [written, ...[plan.operations, wanted].map((planned) => writtenSecrets(planned.map(({ operation }) => operation)))];
  const left = differences(afterOperations(candidate, plan.operations), afterOperations(running, wanted), shape, at);
  return left.filter((path) => !secrets.some((paths) => paths.has(path.toString())));
}

/** Uncommitted nodes that an operation changes. Excludes rows that the ledger of this owner announced: an aborted run left them. */
function writtenOver({ plan, live: { candidate, running }, record }: PlanAndInputs, { shape }: ReadTarget): Path[] {
  if (running === undefined) return [];
  const everything = Path.root.child(candidate.tag);
  const announced = (record?.announced ?? []).map((row) => parsePath(row));
  const paths = plan.operations.flatMap(({ operation }) => uncommittedWritten(operation, everything, { candidate, running, shape }) ?? []);
  return paths.filter((path) => !announced.some((row) => row.contains(path)));
}

/** Reports whether an earlier run on this machine was aborted. Uncommitted changes at the places of the plan are then from that run. */
async function wasCutOff({ options, owner, name }: TargetContext): Promise<boolean> {
  return (await new Journal(options.stores.stateFolder, owner, name).unfinished()) !== undefined;
}
