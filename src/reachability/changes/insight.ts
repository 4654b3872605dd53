import { touchedPath } from "../../core/operation.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { Insight, ScopeInsight } from "../../outcome/insight.js";
import { afterOperations } from "../../plan/after.js";
import type { Plan } from "../../plan/model.js";
import type { View } from "../../plan/platform.js";
import { DEFAULT_LEVEL, type Policy } from "../flows/policy.js";
import type { PolicyRole, Rulebase } from "../policy-role.js";
import type { PolicyTarget } from "../policy-target.js";
import { policyOptions } from "../predefined.js";
import { groupByAnswer } from "../questions/group-by-answer.js";
import { type InsightWork, isOfWork, workHere } from "./analysis.js";
import { treeWith } from "./whole-tree.js";

/** Inputs of insight: a plan, its inputs, and the target, for further reads. */
export interface InsightSource {
  readonly target: PolicyTarget;
  readonly plan: Plan;
  /** Configuration that the plan was made from. */
  readonly live: { readonly subtrees: readonly Path[]; readonly candidate: TreeNode };
  readonly desired: DesiredTarget;
  readonly configuration: TargetConfiguration;
  /** Paths of the changes to analyse. */
  readonly changed: readonly Path[];
  /** View of `live.candidate`. */
  readonly view: View;
  /** Runs the calculation. Default: this process. */
  readonly work?: InsightWork | undefined;
}

/** `forward`: from the live state to the state after the plan. `back`: from the wanted state to the drifted one. */
type Direction = "forward" | "back";

/**
 * Flows that the plan newly allows or denies, judged by all live rules of any owner. Undefined if the plan changes no path that rules
 * depend on. An error is part of the result and never blocks the plan.
 */
export async function insightOf(role: PolicyRole | undefined, source: InsightSource, direction: Direction): Promise<Insight | undefined> {
  const { plan, changed } = source;
  if (role === undefined || !changed.some((path) => role.concerns(path))) return undefined;
  try {
    const { target, view, desired, configuration } = source;
    const { subtrees, candidate: tree } = source.live;
    const rules = role.subtrees(desired.root, configuration);
    const network = role.network?.(desired.root, configuration) ?? [];
    const redirects = new Set(changed.map((path) => role.redirects?.(path) ?? "no"));
    const operations = direction === "forward" ? plan.operations : operationsIn(plan, changed);
    const answer = async (isRead: boolean) => {
      const live = await treeWith(isRead ? [...rules, ...network] : rules, { target, subtrees, tree, view, borrowed: role.borrowed });
      const planned = afterOperations(live, operations);
      const versions = direction === "forward" ? ([live, planned] as const) : ([planned, live] as const);
      return await differences(role, versions, source, redirects.has("surely") || redirects.has("perhaps") ? { isRead } : undefined);
    };
    const scopes = await answer(redirects.has("surely") || network.length === 0);
    return { scopes: scopes ?? (await answer(true)) ?? [] };
  } catch (error) {
    return { scopes: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns the operations that remove the drift at `changed`: those of the plan, and a deletion for each unmanaged rule, which the plan
 * keeps.
 */
export function operationsIn({ operations, remaining }: Plan, changed: readonly Path[]): Plan["operations"] {
  const unmanaged = remaining.filter(({ kind, path }) => kind === "unmanaged" && isPartOf(path, changed));
  return [
    ...operations.filter(({ operation }) => isPartOf(touchedPath(operation), changed)),
    ...unmanaged.map(({ path }) => ({ operation: { action: "delete", at: path }, phase: "delete", changes: [] }) as const),
  ];
}

function isPartOf(touched: Path, changed: readonly Path[]): boolean {
  return changed.some((path) => path.contains(touched) || touched.contains(path));
}

/** `redirected`: the change may affect NAT or routing. Returns undefined if interfaces and routes are needed and were not read. */
async function differences(
  role: PolicyRole,
  versions: readonly [TreeNode, TreeNode],
  { target, desired, configuration, work = workHere }: InsightSource,
  redirected: { readonly isRead: boolean } | undefined,
): Promise<ScopeInsight[] | undefined> {
  const reader = await role.load();
  const rulebases = reader.rulebases(versions, await policyOptions(reader, versions, [], { target, desired, configuration }));
  const found: ScopeInsight[] = [];
  for (const rulebase of rulebases) {
    if (rulebase.isSame) {
      if (rulebase.size > 0) found.push(unchanged(rulebase));
      continue;
    }
    try {
      const [one, other] = rulebase.policies();
      const [model = other] = [one];
      if (model === undefined || ![one, other].some((policy) => policy?.rules.some(isExplicit))) continue;
      const policies = [one ?? without(model), other ?? without(model)] as const;
      const stage = redirected === undefined ? undefined : await rulebase.landings?.(redirected.isRead);
      if (stage === "unread") return undefined;
      const answer = await work.between({ versions: policies, stage });
      found.push({ ...answer, scope: rulebase.scope, firewalls: rulebase.firewalls });
    } catch (error) {
      if (rulebase.firewalls === undefined || isOfWork(error)) throw error;
      found.push(notKnown(rulebase, error instanceof Error ? error.message : String(error)));
    }
  }
  return groupByAnswer(found.sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b))));
}

const NOTHING = { exact: true, rows: [], edits: [], dependsOn: [], idle: [], notes: [], undecided: [], doubts: [], beside: [] };

function unchanged({ scope, firewalls, size }: Rulebase): ScopeInsight {
  return { ...NOTHING, scope, firewalls, rules: size };
}

/** An error for one firewall makes only that firewall's result unknown. */
function notKnown({ scope, firewalls }: Rulebase, why: string): ScopeInsight {
  return { ...NOTHING, scope, firewalls, rules: 0, exact: false, undecided: [`The change is not known: ${why}.`] };
}

function isEmpty({ rows, idle, notes, undecided, doubts }: ScopeInsight): boolean {
  return rows.length + idle.length + notes.length + undecided.length + doubts.length === 0;
}

/** Policy of a rulebase that does not exist in one version: it allows no flows. */
function without(policy: Policy): Policy {
  return { ...policy, rules: [] };
}

function isExplicit({ key }: Policy["rules"][number]): boolean {
  return key.level !== DEFAULT_LEVEL;
}
