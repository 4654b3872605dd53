import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { searchRoots } from "../../desired/query-subtrees.js";
import { afterOperations } from "../../plan/after.js";
import { differences } from "../../plan/differences.js";
import { uncommittedWritten } from "../../plan/uncommitted.js";
import type { Plan, Refusal } from "../../plan/model.js";
import type { Capabilities } from "../../plan/platform.js";
import { Journal } from "../apply/journal.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import { type Live, readLive } from "../live.js";
import { pendingOn } from "../pending-and-locks.js";
import type { ReadTarget } from "../target.js";
import { commitsUnknownChanges, FOREIGN_PENDING, mayCommitBlindly } from "./blind-commit.js";
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

/**
 * Refuses a commit that would include or overwrite other administrators' uncommitted work. Applies to devices that always commit everything
 * and cannot list the authors (docs/contributing/plan.md#without-a-list-of-changes).
 * Reads the complete tree, because a commit includes all of it. This is not needed if the device reports no uncommitted changes.
 */
export async function refuseForeignPending(
  target: ReadTarget,
  capabilities: Capabilities,
  context: TargetContext,
  sides: PlanAndInputs,
): Promise<Refusal[]> {
  const { plan } = sides;
  if (!commitsUnknownChanges(capabilities) || context.options.allow.has(FOREIGN_PENDING)) return [];
  if (plan.operations.length === 0 && !plan.commitOnly) return [];
  if (capabilities.runningUnreadable === true) return mayCommitBlindly(capabilities, context) ? [] : [unseen()];
  if (capabilities.pendingCheck === true && (await pendingOn(target)).length === 0) return [];
  const live = isWhole(sides.live, target, context) ? sides.live : await readEverything(target, capabilities, context);
  const whole = { ...sides, live };
  const over = (await wasCutOff(context)) ? [] : writtenOver(whole, target);
  return [
    ...carriedAlong(whole, target).map((path) => refusal(path, "would be committed too")),
    ...over.map((path) => refusal(path, "would be written over by this plan")),
  ];
}

/** All of the tree in which anything of anybody could be. */
export async function readEverything(target: ReadTarget, capabilities: Capabilities, { desired }: TargetContext): Promise<Live> {
  return await readLive(target, capabilities, searchRoots(target.shape, desired.root.tag));
}

function isWhole({ subtrees }: Live, { shape }: ReadTarget, { desired }: TargetContext): boolean {
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
  return left.filter((path) => !secrets.some((ours) => ours.has(path.toString())));
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
  return (await new Journal(options.stateFolder, owner, name).unfinished()) !== undefined;
}

function refusal(path: Path, fate: string): Refusal {
  const message = `An uncommitted change ${fate}, because this target does not report its author: ${path}. Have it committed or reverted first.`;
  return { guard: FOREIGN_PENDING, message, path, allow: `--allow ${FOREIGN_PENDING}` };
}

function unseen(): Refusal {
  const message =
    "This target neither lists uncommitted changes nor shows its running configuration: a commit would include the uncommitted work of others. Set blindCommit: true if no other administrator writes to it.";
  return { guard: FOREIGN_PENDING, message, path: undefined, allow: `--allow ${FOREIGN_PENDING}` };
}
