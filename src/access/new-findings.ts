import { Budget } from "../reachability/flows/budget.js";
import { compile, END_LEVEL } from "../reachability/flows/compile.js";
import { effectIn, type LintFinding, lint } from "../reachability/flows/lint.js";
import { meeting } from "../reachability/flows/may-match.js";
import { type AddressRange, DEFAULT_LEVEL, type Match, type Policy, type Rule, ruleId } from "../reachability/flows/policy.js";
import { type Comparison, compileMeeting } from "./concerned-rules.js";

/** Steps for one rule. */
const RULE = 2_000_000;
/** Number of pairs of addresses for which the effect of a rule is checked, before it is compared with all rules that it meets. */
const TRIES = 6;

/** Returns a finding for each rule that meets the request and has no effect, or only a redundant one, since the edit. */
export function newFindings(before: Policy, after: Policy, compared: Comparison): readonly LintFinding[] {
  const concerned = suspectsIn(compared).filter((rule) => compared.changed.has(rule) || !hasEffectSomewhere(after, rule));
  if (concerned.length === 0) return [];
  const suspects = withOtherParts(after, concerned);
  const keys = new Set(suspects.map(({ key }) => ruleId(key)));
  const former = before.rules.filter(({ key }) => keys.has(ruleId(key)));
  const flows = [...suspects, ...former];
  const model = compile([meeting(before, flows), meeting(after, flows)]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const of = (policy: typeof one, rules: readonly Rule[]) =>
    lint(model, policy, {}, new Set(rules)).filter(({ kind }) => kind !== "undecided");
  const known = new Set(of(one, former).map(({ rule }) => ruleId(rule.key)));
  return of(other, suspects).filter(({ rule }) => !known.has(ruleId(rule.key)));
}

/** Adds the other compiled rules of the same rules of the target. A rule is only idle if all of them are. */
function withOtherParts(policy: Policy, rules: readonly Rule[]): readonly Rule[] {
  const parts = new Set(rules.flatMap((rule) => rule.parts ?? []));
  const known = new Set(rules);
  return parts.size === 0 ? rules : policy.rules.filter((rule) => known.has(rule) || rule.parts?.some((part) => parts.has(part)) === true);
}

/**
 * Returns the rules that may have a new finding. Flows that no changed rule matches are decided as before. So an unchanged rule can only
 * lose its effect if it had one on flows of changed rules, and has none on them now.
 */
function suspectsIn({ model, before, after, question, changed }: Comparison): readonly Rule[] {
  const { space } = model;
  const touched = [before, after].flatMap(({ rules }) => rules.flatMap(({ rule, boxes }) => (changed.has(rule) ? boxes : [])));
  const effort = new Budget({});
  const places = new Map(before.rules.map(({ rule }, at) => [ruleId(rule.key), at]));
  return after.rules.flatMap(({ rule, boxes }, at): readonly Rule[] => {
    const isBuiltIn = rule.key.level === DEFAULT_LEVEL || rule.key.level === END_LEVEL;
    if (isBuiltIn || !boxes.some((box) => question.some((each) => space.meets(each, box)))) return [];
    const was = places.get(ruleId(rule.key));
    if (changed.has(rule) || was === undefined) return [rule];
    const flows = boxes.flatMap((box) => touched.map((each) => space.and(box, each))).filter((box) => box !== undefined);
    const hasEffect = effectIn(model, after, at, flows, effort.share(RULE)) === "uncovered";
    return hasEffect || effectIn(model, before, was, flows, effort.share(RULE)) === "covered" ? [] : [rule];
  });
}

/** Returns whether a rule certainly has an effect on flows between two of its addresses. Rules for all traffic meet all other rules. */
function hasEffectSomewhere(policy: Policy, rule: Rule): boolean {
  const effort = new Budget({});
  for (let tries = 0; tries < TRIES; tries++) {
    const flows = { ...rule, source: oneAddress(rule.source, effort), destination: oneAddress(rule.destination, effort) };
    const { model, compiled, question } = compileMeeting(policy, flows);
    const at = compiled.rules.findIndex((each) => each.rule === rule);
    if (effectIn(model, compiled, at, question, effort.share(RULE)) === "uncovered") return true;
  }
  return false;
}

/** Returns a random IPv4 address for a field that contains most addresses, and otherwise an address of the field, if one is known. */
function oneAddress(match: Match<AddressRange>, effort: Budget): Match<AddressRange> {
  const isWide = match === "any" || match.negated;
  const values = isWide ? [] : match.objects.flatMap((object) => [...object.values, ...object.members.flatMap((member) => member.values)]);
  if (!isWide && values.length === 0) return match;
  const first = isWide ? BigInt(effort.random(2 ** 32)) : (values[effort.random(values.length)]?.first ?? 0n);
  const object = { id: `${first}`, name: `${first}`, values: [{ first, last: first }], members: [], unknowns: [] };
  return { negated: false, objects: [object] };
}
