import { Budget } from "../reachability/flows/budget.js";
import { type CompiledPolicy, compile, type Model } from "../reachability/flows/compile.js";
import { effectIn, type LintFinding, lint } from "../reachability/flows/lint.js";
import type { Policy, Rule } from "../reachability/flows/policy.js";

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

/**
 * Returns rules without effect that can be removed together. Two rules that make each other redundant are not both removed.
 *
 * @param isRemovable False for rules that must stay, for example because no document declares them.
 */
export function idleTogether(policy: Policy, isRemovable: (rule: Rule) => boolean): IdleRules {
  const model = compile([policy]);
  const [compiled] = model.policies;
  if (compiled === undefined) throw new Error("one policy makes one");
  const all = lint(model, compiled);
  const findings = all.filter(({ rule }) => isRemovable(rule));
  const undecided = findings.filter(({ kind }) => kind === "undecided").map(({ rule }) => rule);
  const never = findings.flatMap((finding): IdleRule[] => {
    if (finding.kind !== "shadowed" && finding.kind !== "matches-nothing") return [];
    return [{ kind: finding.kind, rule: finding.rule, by: finding.kind === "shadowed" ? finding.by : [] }];
  });
  const redundant = findings.filter(({ kind }) => kind === "redundant").map(({ rule }) => rule);
  // Rules that decide no flow can be removed together. Some of them must stay. A later change may remove these, so a rule counts as
  // redundant only if it is also redundant without them.
  const idleAnyway = all.filter(({ kind }) => kind === "shadowed" || kind === "matches-nothing").map(({ rule }) => rule);
  const places = new Map(compiled.rules.map(({ rule }, at) => [rule, at]));
  const placesOf = (rules: readonly Rule[]) => new Set(rules.map((rule) => places.get(rule) ?? -1));
  const versions = [placesOf(never.map(({ rule }) => rule)), placesOf(idleAnyway)];
  const removed = new Set(redundant.filter((rule) => removeRedundant(model, compiled, places.get(rule) ?? -1, versions)));
  const alsoIdle = redundant.filter((rule) => removed.has(rule)).map((rule): IdleRule => ({ kind: "redundant", rule, by: [] }));
  const idle = [...never, ...alsoIdle].sort((a, b) => (places.get(a.rule) ?? 0) - (places.get(b.rule) ?? 0));
  const fixed = all.filter(({ rule }) => !isRemovable(rule));
  return { idle, fixed, needed: redundant.filter((rule) => !removed.has(rule)), undecided };
}

/** Adds a rule to the removed rules of all versions, if it has no effect in any of them. Returns whether it did. */
function removeRedundant(model: Model, policy: CompiledPolicy, at: number, versions: readonly Set<number>[]): boolean {
  const boxes = policy.rules[at]?.boxes ?? [];
  const isIdle = versions.every(
    (removed) => effectIn(model, policy, at, boxes, new Budget({ steps: RULE }), { without: removed }) === "covered",
  );
  if (isIdle) for (const removed of versions) removed.add(at);
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
