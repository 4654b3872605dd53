import { Budget } from "../reachability/flows/budget.js";
import { type CompiledPolicy, compile, type Model } from "../reachability/flows/compile.js";
import { effectIn, type LintFinding, lint } from "../reachability/flows/lint.js";
import { ANY_FLOW, type Policy, type Rule, ruleId } from "../reachability/flows/policy.js";

/** Steps for one rule. */
const RULE = 2_000_000;

/** A rule that can be removed without an effect on any flow. */
interface IdleRule {
  readonly kind: "matches-nothing" | "shadowed" | "redundant";
  readonly rule: Rule;
  /** Rules that decide all its flows. */
  readonly by: readonly Rule[];
}

export interface IdleRules {
  /** Rules whose removal, all together, changes no flow. */
  readonly idle: readonly IdleRule[];
  /** Rules with a finding that must stay. */
  readonly fixed: readonly Pick<LintFinding, "kind" | "rule">[];
  /** Rules that are redundant only as long as some of `idle` stay. */
  readonly needed: readonly Rule[];
  /** Rules whose check ran out of effort. */
  readonly undecided: readonly Rule[];
}

/** Level of the rule that represents rules that were not read. */
const UNREAD_LEVEL = "unread";

/** One policy, and its findings by rule. */
interface View {
  readonly model: Model;
  readonly policy: CompiledPolicy;
  /** Position of each rule. */
  readonly places: ReadonlyMap<string, number>;
  readonly findings: ReadonlyMap<string, LintFinding>;
}

/** A finding about a rule in all policies that contain it. */
interface Finding {
  readonly id: string;
  readonly kind: LintFinding["kind"];
  readonly rule: Rule;
  readonly by: readonly Rule[];
}

/**
 * Returns rules without effect that can be removed together. Two rules that make each other redundant are not both removed.
 *
 * @param policies All policies that the rules are part of. A rule is removed only if it has no effect in any of them.
 * @param isRemovable False for rules that must stay, for example because no document declares them.
 */
export function idleTogether(policies: readonly Policy[], isRemovable: (rule: Rule) => boolean): IdleRules {
  const views = policies.map(viewOf);
  const all = findingsIn(views);
  const findings = all.filter(({ rule }) => isRemovable(rule));
  const isNever = ({ kind }: Finding) => kind === "shadowed" || kind === "matches-nothing";
  const never = findings.filter(isNever);
  const redundant = findings.filter(({ kind }) => kind === "redundant");
  // Rules that decide no flow can be removed together. Some of them must stay. A later change may remove these, so a rule counts as
  // redundant only if it is also redundant without them.
  const idleAnyway = all.filter(isNever);
  const versions = views.map((view) => [placesIn(view, never), placesIn(view, idleAnyway)]);
  const removed = new Set([...never, ...redundant.filter(({ id }) => removeRedundant(views, id, versions))]);
  const idle = findings.flatMap((finding): IdleRule[] => {
    const { kind, rule, by } = finding;
    return removed.has(finding) && kind !== "undecided" ? [{ kind, rule, by }] : [];
  });
  const fixed = all.filter(({ rule }) => !isRemovable(rule));
  const needed = redundant.filter((finding) => !removed.has(finding)).map(({ rule }) => rule);
  return { idle, fixed, needed, undecided: findings.filter(({ kind }) => kind === "undecided").map(({ rule }) => rule) };
}

/**
 * Returns a policy with a rule in place of the rules that were not read. It applies to all flows, with an own verdict and under an unknown
 * condition. So a rule above it is redundant only because of other rules above it.
 */
export function withUnreadRules(policy: Policy): Policy {
  if (policy.unread === undefined) return policy;
  const { at, text } = policy.unread;
  const unknown = { kind: "rules", definition: "not read", name: "rules that were not read", reason: text };
  const rule: Rule = {
    ...ANY_FLOW,
    key: { level: UNREAD_LEVEL, group: "", name: unknown.name },
    origin: {},
    zones: { type: "universal", from: "any", to: "any" },
    conditions: [[{ unknown, holds: true }]],
    verdict: UNREAD_LEVEL,
    action: UNREAD_LEVEL,
  };
  return { ...policy, rules: [...policy.rules.slice(0, at), rule, ...policy.rules.slice(at)] };
}

function viewOf(policy: Policy): View {
  const model = compile([withUnreadRules(policy)]);
  const [compiled] = model.policies;
  if (compiled === undefined) throw new Error("one policy makes one");
  const findings = lint(model, compiled).filter(({ rule }) => rule.key.level !== UNREAD_LEVEL);
  return {
    model,
    policy: compiled,
    places: new Map(compiled.rules.map(({ rule }, at) => [ruleId(rule.key), at])),
    findings: new Map(findings.map((finding) => [ruleId(finding.rule.key), finding])),
  };
}

/** The first of these kinds that a rule has in a policy is its kind in all of them. */
const KINDS: readonly LintFinding["kind"][] = ["undecided", "redundant", "shadowed", "matches-nothing"];

/** Returns the findings about rules that have one in each policy that contains them, from the top. */
function findingsIn(views: readonly View[]): readonly Finding[] {
  const ids = new Set(views.flatMap(({ findings }) => [...findings.keys()]));
  return [...ids].flatMap((id): Finding[] => {
    const found = views.filter(({ places }) => places.has(id)).map(({ findings }) => findings.get(id));
    const each = found.flatMap((finding) => finding ?? []);
    const kind = KINDS.find((one) => each.some((finding) => finding.kind === one));
    const [first] = each;
    if (first === undefined || kind === undefined || each.length < found.length) return [];
    const by = kind === "shadowed" ? each.flatMap((finding) => (finding.kind === "shadowed" ? finding.by : [])) : [];
    return [{ id, kind, rule: first.rule, by: [...new Map(by.map((rule) => [ruleId(rule.key), rule])).values()] }];
  });
}

function placesIn({ places }: View, findings: readonly Finding[]): Set<number> {
  return new Set(findings.flatMap(({ id }) => places.get(id) ?? []));
}

/**
 * Adds a rule to the removed rules of all versions of all policies, if it has no effect in any of them. Returns whether it did.
 *
 * @param versions Positions of removed rules, for each policy.
 */
function removeRedundant(views: readonly View[], id: string, versions: readonly (readonly Set<number>[])[]): boolean {
  const cases = views.flatMap((view, index) => {
    const at = view.places.get(id);
    return at === undefined ? [] : (versions[index] ?? []).map((removed) => ({ view, at, removed }));
  });
  const isIdle = cases.every(({ view: { model, policy }, at, removed }) => {
    const boxes = policy.rules[at]?.boxes ?? [];
    return effectIn(model, policy, at, boxes, new Budget({ steps: RULE }), { without: removed }) === "covered";
  });
  if (isIdle) for (const { at, removed } of cases) removed.add(at);
  return isIdle;
}

/** Returns a check whether the removal of a deny rule may open flows. The rules are compiled when it is first used. */
export function openingCheck(policy: Policy): (rule: Rule) => boolean {
  let model: Model | undefined;
  return (rule) => {
    model ??= compile([policy]);
    const [compiled] = model.policies;
    const at = policy.rules.indexOf(rule);
    if (compiled === undefined || at < 0) throw new Error(`the policy has rule ${rule.key.name}`);
    const isOther = (below: Rule) => below.verdict === "allow";
    return effectIn(model, compiled, at, compiled.rules[at]?.boxes ?? [], new Budget({ steps: RULE }), { isOther }) !== "covered";
  };
}
