import pLimit from "p-limit";
import { find } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Drift, DriftItem } from "../outcome/outcome.js";
import type { Change } from "../plan/diff/change.js";
import type { Planned } from "./pass/planner.js";
import type { ReadTarget } from "./target.js";

/** Firewalls bear five calls at a time. */
const CONCURRENCY = 5;

/**
 * Desired against running: what is missing, differs or is extra, and who last touched it. `planned` was made with the
 * running configuration in the candidate's place, so drift and plan cannot disagree about what is owned.
 */
export async function driftOf(target: ReadTarget, planned: Planned): Promise<Drift> {
  const { plan, live } = planned;
  const root = live.candidate;
  const limit = pLimit(CONCURRENCY);
  const items = await Promise.all(plan.changes.map((change) => limit(() => attributed(target, change, root))));
  return { items, findings: plan.findings, pending: live.pending };
}

async function attributed(target: ReadTarget, change: Change, root: TreeNode): Promise<DriftItem> {
  return { change, attribution: await target.attribution(change.path, find(root, change.path)) };
}
