import type { TreeNode } from "../../core/tree/node.js";
import type { Sides } from "../../outcome/levels.js";
import { differencesOf, type Plan } from "../../plan/model.js";
import type { Capabilities } from "../../plan/platform.js";
import type { Live } from "../live.js";
import type { ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";

/** A plan for one side of a target, and a function that plans against another tree. */
interface Planned {
  readonly plan: Plan;
  readonly live: Live;
  readonly onRunning: (tree: TreeNode) => Plan;
}

/**
 * Differences of the candidate and of the running configuration from the desired state, for a target with firewalls
 * (docs/manager.md#five-levels). A drift run reads the candidate in addition, unless the target reports no uncommitted changes.
 */
export async function compareCandidateAndRunning(
  target: ReadTarget,
  { candidate: hasCandidate, changeList, runningUnreadable }: Capabilities,
  { configuration }: TargetContext,
  against: "candidate" | "running",
  { plan, live, onRunning }: Planned,
): Promise<Sides | undefined> {
  if (target.managed === undefined || configuration.firewalls === "ignore" || !hasCandidate || runningUnreadable === true) return undefined;
  const own = differencesOf(plan).length;
  const other = (tree: TreeNode) => differencesOf(onRunning(tree)).length;
  if (against === "running") {
    if (changeList && live.pending.length === 0) return { candidate: own, running: own };
    return { candidate: other(await target.read(live.subtrees, "candidate", () => undefined)), running: own };
  }
  const { running } = live;
  return { candidate: own, running: running === undefined ? undefined : running === live.candidate ? own : other(running) };
}
