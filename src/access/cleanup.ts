import { compile } from "../reachability/flows/compile.js";
import { type LintFinding, lint } from "../reachability/flows/lint.js";
import type { Policy, Rule } from "../reachability/flows/policy.js";
import { changesNothing } from "./proof.js";

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
  // Rules that decide no flow can be removed together. Some of them must stay. A later change may remove these, so a rule counts as
  // redundant only if it is also redundant without them.
  const idleAnyway = all.filter(({ kind }) => kind === "shadowed" || kind === "matches-nothing").map(({ rule }) => rule);
  const removedAnyway = never.map(({ rule }) => rule);
  const versions = [withoutRules(policy, removedAnyway), ...(idleAnyway.length === never.length ? [] : [withoutRules(policy, idleAnyway)])];
  const redundant = findings.filter(({ kind }) => kind === "redundant").map(({ rule }) => rule);
  const removed = new Set(removableOf(versions, redundant));
  const alsoIdle = redundant.filter((rule) => removed.has(rule)).map((rule): IdleRule => ({ kind: "redundant", rule, by: [] }));
  const place = new Map(policy.rules.map((rule, at) => [rule, at]));
  const idle = [...never, ...alsoIdle].sort((a, b) => (place.get(a.rule) ?? 0) - (place.get(b.rule) ?? 0));
  const fixed = all.filter(({ rule }) => !isRemovable(rule));
  return { idle, fixed, needed: redundant.filter((rule) => !removed.has(rule)), undecided };
}

/** Returns a policy without some rules. */
function withoutRules(policy: Policy, rules: readonly Rule[]): Policy {
  const gone = new Set(rules);
  return { ...policy, rules: policy.rules.filter((rule) => !gone.has(rule)) };
}

/** Returns candidates that can be removed together, in each version of a policy. Tries all of them first, then halves. */
function removableOf(versions: readonly Policy[], candidates: readonly Rule[]): readonly Rule[] {
  if (candidates.length === 0) return [];
  if (versions.every((policy) => changesNothing(policy, withoutRules(policy, candidates)))) return candidates;
  if (candidates.length === 1) return [];
  const half = Math.ceil(candidates.length / 2);
  const first = removableOf(versions, candidates.slice(0, half));
  const rest = versions.map((policy) => withoutRules(policy, first));
  return [...first, ...removableOf(rest, candidates.slice(half))];
}
