import { compile } from "../../insight/compile.js";
import type { FlowSet, Policy } from "../../insight/policy.js";
import { reach } from "../../insight/reach.js";
import type { Reach } from "../../outcome/reach.js";
import { AddressNames } from "./address-words.js";
import { conditionWords, flowWords } from "./flow-words.js";

/** Which rules decide the flows, and with what verdict. */
export function reachIn(policy: Policy, flows: FlowSet): Reach {
  const model = compile([policy], [flows]);
  const [compiled] = model.policies;
  const [question = []] = model.questions;
  if (compiled === undefined) throw new Error("one policy makes one");
  const answers = reach(model, compiled, question).map((answer) => {
    const names = new AddressNames([answer.rule, { ...answer.rule, ...flows }]);
    const regions = answer.flows.kind === "boxes" ? answer.flows.regions : [answer.flows.region];
    return {
      verdict: answer.verdict,
      action: answer.rule.action,
      rule: answer.rule.key.name,
      where: answer.rule.origin,
      conditions: answer.conditions.map(conditionWords),
      flows: regions.flatMap((region) => flowWords(region, model, names)),
      isExample: answer.flows.kind === "example",
      undecided: answer.undecided,
    };
  });
  const said = (doubtful: boolean) => policy.limits.filter((limit) => limit.doubtful === doubtful).map(({ text }) => text);
  return { scope: policy.scope, answers, doubts: said(true), beside: said(false) };
}
