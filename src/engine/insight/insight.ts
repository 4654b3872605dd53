import { touchedPath } from "../../core/operation.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { TargetConfiguration } from "../../desired/configuration.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { Policy } from "../../insight/policy.js";
import type { Insight, ScopeInsight } from "../../outcome/insight.js";
import { afterOperations } from "../../plan/after.js";
import type { Plan } from "../../plan/model.js";
import type { Live } from "../live.js";
import type { PolicyRole } from "../policies.js";
import type { ReadTarget, View } from "../target.js";
import { declaredAt } from "./declared-at.js";
import { wholeTree } from "./whole-tree.js";

/** What insight is made from: a plan, what it was made from, and the target, of which more may have to be read. */
export interface InsightSource {
  readonly target: ReadTarget;
  readonly plan: Plan;
  readonly live: Live;
  readonly desired: DesiredTarget;
  readonly configuration: TargetConfiguration;
  /** Places of the changes that are asked about. */
  readonly changed: readonly Path[];
  /** The view that `live.candidate` is. */
  readonly view: View;
}

/** `forward`: from what is live to what the plan makes of it; `back`: what somebody made of what should be. */
type Direction = "forward" | "back";

/**
 * What the plan lets through and stops, by all rules that are live, whoever wrote them. Undefined where it changes nothing that
 * rules match by. Insight stops nothing: what goes wrong with it is what it does not know.
 */
export async function insightOf(role: PolicyRole | undefined, source: InsightSource, direction: Direction): Promise<Insight | undefined> {
  const { plan, changed } = source;
  if (role === undefined || !changed.some((path) => role.concerns(path))) return undefined;
  try {
    const { target, view, desired } = source;
    const live = await wholeTree(role, desired.root, { target, subtrees: source.live.subtrees, tree: source.live.candidate, view });
    const operations = direction === "forward" ? plan.operations : operationsIn(plan, changed);
    const planned = afterOperations(live, operations);
    return { scopes: await differences(role, direction === "forward" ? [live, planned] : [planned, live], source) };
  } catch (error) {
    return { scopes: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

/** What of a plan writes at these places. */
export function operationsIn({ operations }: Plan, changed: readonly Path[]): Plan["operations"] {
  return operations.filter(({ operation }) => isPartOf(touchedPath(operation), changed));
}

function isPartOf(touched: Path, changed: readonly Path[]): boolean {
  return changed.some((path) => path.contains(touched) || touched.contains(path));
}

async function differences(
  role: PolicyRole,
  versions: readonly [TreeNode, TreeNode],
  { desired, configuration }: InsightSource,
): Promise<ScopeInsight[]> {
  const [reader, { insightBetween }] = await Promise.all([role.load(), import("./difference-words.js")]);
  const [before = [], after = []] = reader.policies(versions, { configuration, locate: (path) => declaredAt(desired, path) });
  const scopes = [...new Set([...before, ...after].map(({ scope }) => scope))];
  const version = (policies: readonly Policy[], scope: string) => policies.find((policy) => policy.scope === scope);
  return scopes.flatMap((scope) => {
    const [one, other] = [version(before, scope), version(after, scope)];
    const [model = other] = [one];
    if (model === undefined || ![one, other].some((policy) => policy?.rules.some(isExplicit))) return [];
    return [insightBetween(one ?? without(model), other ?? without(model))];
  });
}

/** A rulebase that is not there lets nothing through. */
function without(policy: Policy): Policy {
  return { ...policy, rules: [] };
}

function isExplicit({ key }: Policy["rules"][number]): boolean {
  return key.level !== "default";
}
