import type { TreeNode } from "../../core/tree/node.js";
import { outermost, type Path } from "../../core/tree/path.js";
import { type Assertion, isHouseRule, isOfFlows, isOfPath, isSent } from "../../desired/assertions.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import { afterOperations } from "../../plan/after.js";
import type { Plan } from "../../plan/model.js";
import { type AssertionSource, judgeAssertions, type Versions } from "../../reachability/assertions/assertions.js";
import type { Surroundings } from "../../reachability/assertions/path-assertions.js";
import { treeWith } from "../../reachability/changes/whole-tree.js";
import type { Live } from "../live.js";
import type { ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";

/** A plan and its inputs. */
export interface Asserting {
  readonly target: ReadTarget;
  readonly context: TargetContext;
  readonly plan: Plan;
  readonly live: Live;
  /** Accounts whose uncommitted work goes along with our commit. */
  readonly accounts: readonly string[];
  /** If set, everything is read again, because the first read may be old. Called with the current candidate. */
  readonly onReread?: (candidate: TreeNode) => void;
}

/**
 * Judges the assertions on the current rules and on the rules after the plan. If judging fails, the assertions are "unknown", never
 * "holds". Undefined if the target has no assertions.
 */
export async function assertedBy(asserting: Asserting): Promise<readonly JudgedAssertion[] | undefined> {
  const { plan, context } = asserting;
  const judge = async (source: AssertionSource) => {
    const judged: JudgedAssertion[][] = [];
    for (const versions of await versionsOf(asserting))
      judged.push(await judgeAssertions({ ...source, target: asserting.target }, versions));
    const [first = [], ...others] = judged;
    return first.map((each) => others.flat().find((other) => isWorse(other, each)) ?? each);
  };
  return await judgedIn(context, plan.operations.length > 0, judge, mayMatter(asserting));
}

/** Reports whether the commit may change the path or the verdict of a flow. */
function mayMatter({ plan, live, context: { policies, desired, configuration } }: Asserting): boolean {
  if (plan.operations.length === 0) return plan.commitOnly;
  const network = policies?.network?.(desired.root, configuration) ?? [];
  const matters = (path: Path) =>
    policies?.concerns(path) === true || network.some((place) => place.contains(path) || path.contains(place));
  return live.pending.length > 0 || plan.changes.some(({ path }) => matters(path));
}

/**
 * Subtrees that are needed to judge the assertions: rules, named objects, network configuration and the subtrees that house rules select.
 */
export async function assertedSubtrees({ desired, policies, options, configuration }: TargetContext): Promise<readonly Path[]> {
  const { assertions = [], root } = desired;
  const ofFlows = assertions.filter((each) => !isHouseRule(each));
  const rulebases = ofFlows.length === 0 ? [] : (policies?.subtrees(root, configuration) ?? []);
  const flows = ofFlows.some((each) => isOfPath(each) || (isOfFlows(each) && isSent(each)))
    ? [...rulebases, ...(policies?.network?.(root, configuration) ?? [])]
    : rulebases;
  const rules = assertions.filter(isHouseRule);
  const kind = options.source.kinds.get(configuration.kind);
  if (rules.length === 0 || kind === undefined) return flows;
  const { houseRuleSubtrees } = await import("../../reachability/assertions/house-rules.js");
  return outermost([...flows, ...houseRuleSubtrees(rules, kind)]);
}

/**
 * Runs `judge` on the assertions of a target. If it throws, all assertions are "unknown".
 * `isDoing`: the plan writes something. `bearsOnPaths`: the plan may change the path of flows.
 * Other targets are read at most once per call; passes that only read share these reads across calls.
 */
export async function judgedIn(
  { policies: role, desired, configuration, options, dependencies: { others } }: TargetContext,
  isDoing: boolean,
  judge: (source: AssertionSource) => Promise<readonly JudgedAssertion[]>,
  bearsOnPaths = false,
): Promise<readonly JudgedAssertion[] | undefined> {
  if (desired.assertions === undefined) return undefined;
  const once = others && { ...others, known: others.known ?? new Map() };
  const read: Surroundings["read"] = async (names, applications) => {
    if (once === undefined) return new Map();
    const { readOthers } = await import("./other-targets.js");
    return await readOthers(once, { own: desired.target, names, applications });
  };
  try {
    return await judge({ role, desired, configuration, around: { read, mayMatter: bearsOnPaths }, work: options.analysis.insightWork });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return desired.assertions.map((assertion) => unjudged(assertion, why, desired, isDoing));
  }
}

function isWorse(other: JudgedAssertion, { name, scope, isByChange }: JudgedAssertion): boolean {
  return other.name === name && other.scope === scope && other.isByChange && !isByChange;
}

/**
 * Versions to compare, before and after our commit. Uncommitted work of our accounts is part of the commit. Other administrators' work may
 * or may not be committed before ours, so both cases are judged.
 */
async function versionsOf({ target, context, plan, live, accounts, onReread }: Asserting): Promise<Versions[]> {
  const needed = await assertedSubtrees(context);
  const read = (tree: TreeNode, view: "candidate" | "running") =>
    treeWith(needed, { target, subtrees: live.subtrees, tree, view, borrowed: context.policies?.borrowed }, onReread !== undefined);
  const after = (tree: TreeNode) => (plan.operations.length === 0 ? tree : afterOperations(tree, plan.operations));
  const candidate = await read(live.candidate, "candidate");
  onReread?.(candidate);
  if (live.running === undefined || live.running === live.candidate) return [{ before: candidate, after: after(candidate) }];
  const running = await read(live.running, "running");
  const isOthers = live.pending.length > 0 && live.pending.every(({ owner }) => !accounts.includes(owner));
  if (!isOthers) return [{ before: running, after: after(candidate) }];
  return [
    { before: candidate, after: after(candidate) },
    { before: running, after: after(running) },
  ];
}

function unjudged(assertion: Assertion, why: string, { sources }: DesiredTarget, isDoing: boolean): JudgedAssertion {
  const { name, description, strict, origin } = assertion;
  const of = "verdict" in assertion ? { verdict: assertion.verdict, accepted: assertion.acceptsUnknowns } : { accepted: undefined };
  const declared = { name, description, ...of, strict, where: sources.locate(origin) ?? {}, scope: "" };
  return { ...declared, state: "unknown", before: "unknown", isByChange: isDoing, why: [`It could not be judged: ${why}`] };
}
