import type { FlowPath, Reach, Way } from "../../outcome/reach.js";
import { compile } from "../flows/compile.js";
import type { FlowSet, Policy } from "../flows/policy.js";
import { reach } from "../flows/reach.js";
import { AmbiguousNames } from "../format/ambiguous-names.js";
import { AddressNames } from "../format/format-addresses.js";
import { formatConditions, pairedFlows } from "../format/format-flow.js";
import { withDistinctNames } from "../format/rule-names.js";
import type { FlowQuestion, Rulebase } from "../policy-role.js";

/** Returns the rules that decide the flows, with their verdicts. */
export function reachIn(policy: Policy, flows: FlowSet): Reach {
  const model = compile(withDistinctNames([policy]), [flows]);
  const [compiled] = model.policies;
  const [question = []] = model.questions;
  if (compiled === undefined) throw new Error("one policy makes one");
  const answers = reach(model, compiled, question).map((answer) => {
    const rules = [answer.rule, flows];
    const names = new AddressNames(rules, new AmbiguousNames(rules));
    const regions = answer.flows.kind === "boxes" ? answer.flows.regions : [answer.flows.region];
    return {
      verdict: answer.verdict,
      action: answer.rule.action,
      rule: answer.rule.key.name,
      where: answer.rule.origin,
      conditions: answer.conditions.map(formatConditions),
      flows: pairedFlows(regions, model, names),
      isExample: answer.flows.kind === "example",
      undecided: answer.undecided,
    };
  });
  const textsOf = (doubtful: boolean) => policy.limits.filter((limit) => limit.doubtful === doubtful).map(({ text }) => text);
  return { scope: policy.scope, answers, doubts: textsOf(true), beside: textsOf(false) };
}

/** Returns the verdicts on each path that a flow may take. Undefined if flows cannot be followed through the target. */
export function pathIn(policy: Policy, rulebase: Rulebase, question: FlowQuestion, version = 0): FlowPath | undefined {
  const ways = rulebase
    .ways?.(version, question)
    .map((way) => ({ ...way, reached: reachedBy(way, { policy, rulebase, version }, question) }));
  if (ways === undefined) return undefined;
  const textsOf = (tag: "doubts" | "beside") => ways.flatMap(({ reached }) => reached?.[tag] ?? []);
  const answered = ways.map(({ reached, beside: _, doubts: __, ...way }) => ({ ...way, answers: reached?.answers ?? [] }));
  const alsoAffected = [...ways.flatMap((way) => way.beside ?? []), ...textsOf("beside")];
  return {
    scope: policy.scope,
    ways: answered,
    doubts: [...new Set([...ways.flatMap((way) => way.doubts ?? []), ...textsOf("doubts")])],
    beside: [...new Set(alsoAffected)],
  };
}

/** Rules see the zones of the way, and the addresses and the port that the flow was sent with. */
function reachedBy(
  { from, to, ends }: Way,
  { policy, rulebase, version }: { readonly policy: Policy; readonly rulebase: Rulebase; readonly version: number },
  question: FlowQuestion,
): Reach | undefined {
  if (from === undefined || to === undefined || ends !== undefined) return undefined;
  return reachIn(policy, rulebase.flows(version, { ...question, from: [from.zone], to: [to.zone] }));
}
