import type { TreeNode } from "../../core/tree/node.js";
import type { Sides } from "../../outcome/levels.js";
import { differencesOf, type Plan } from "../../plan/model.js";
import type { Capabilities } from "../../plan/platform.js";
import type { Live } from "../live.js";
import type { ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";

/** A plan on one side of a target, and what plans on another. */
interface Planned {
  readonly plan: Plan;
  readonly live: Live;
  readonly onRunning: (tree: TreeNode) => Plan;
}

/**
 * How candidate and running stand to the desired state, each by itself: of a target with firewalls, whose levels begin with the two
 * (docs/manager.md#five-levels). A read more where drift finds work that is not committed.
 */
export async function sidesOf(
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
