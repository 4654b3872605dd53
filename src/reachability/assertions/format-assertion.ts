import { type AssertionState, type AssertionWitness, gravityOf, type JudgedAssertion } from "../../outcome/assertion.js";
import type { AssertionQuestion, FlowQuestion, JudgedVersion, JudgeQuestion } from "../changes/analysis.js";
import { type Assertion as Asked, type Judgement, judge } from "../flows/assertion.js";
import { BrokenByChange, type BrokenFlows } from "../flows/broken-by-change.js";
import { type CompiledPolicy, compile, type Model } from "../flows/compile.js";
import { meeting } from "../flows/may-match.js";
import type { FlowSet } from "../flows/policy.js";
import { AmbiguousNames } from "../format/ambiguous-names.js";
import { AddressNames } from "../format/format-addresses.js";
import { formatConditions, formatFlows } from "../format/format-flow.js";
import { withDistinctNames } from "../format/rule-names.js";

type NotUnderstood = Extract<FlowQuestion, { readonly notUnderstood: string }>;

interface Question extends Asked {
  readonly translated: readonly { readonly rule: string; readonly flows: Asked["flows"] }[];
}

interface Finding {
  readonly state: AssertionState;
  readonly why: readonly string[];
  readonly isOpen: boolean;
  readonly witness?: Judgement["witness"];
}

/** Number of questions up to which only rules that may match their flows are compiled. For more, all rules are compiled faster. */
const FEW = 50;

/** Judges assertions in one rulebase before and after a change. */
export function judgeIn({ scope, assertions, versions: [before, after] }: JudgeQuestion): JudgedAssertion[] {
  const versions = [before, after].filter((version, at, all) => at === 0 || version !== all[0]);
  const policies = versions.flatMap(({ policy }) => policy ?? []);
  const questions = versions.flatMap(({ asked }) =>
    asked.flatMap((each) => ("flows" in each ? [each.flows, ...each.except, ...translatedIn(each)] : [])),
  );
  const concerned = withDistinctNames(policies).map((policy) => (questions.length > FEW ? policy : meeting(policy, questions)));
  const model = compile(concerned, questions);
  const compiled = new Map(policies.map((policy, at) => [policy, model.policies[at] as CompiledPolicy]));
  const boxes = new Map(questions.map((question, at) => [question, model.questions[at] ?? []]));
  const of = ({ asked }: JudgedVersion, at: number, { said: { verdict }, some }: AssertionQuestion): Question | NotUnderstood => {
    // A missing rulebase has no questions.
    const each = asked[at] ?? { flows: undefined, except: [], translated: [] };
    if (!("flows" in each)) return each;
    return {
      verdict,
      some,
      flows: (each.flows && boxes.get(each.flows)) ?? [],
      except: each.except.flatMap((question) => boxes.get(question) ?? []),
      translated: (each.translated ?? []).map(({ rule, flows }) => ({ rule, flows: boxes.get(flows) ?? [] })),
    };
  };
  const found = (version: JudgedVersion, question: Question | NotUnderstood): Finding =>
    findingOf(model, version.policy && compiled.get(version.policy), question, scope);
  const [old, now] = [before, after].map(({ policy }) => (policy === undefined ? undefined : compiled.get(policy)));
  let worsening: BrokenByChange | undefined;
  const worsened = ({ said, some }: AssertionQuestion, question: Asked | NotUnderstood): BrokenFlows | undefined => {
    if (old === undefined || now === undefined || old === now || some || !("flows" in question)) return undefined;
    worsening ??= new BrokenByChange(model, old, now);
    return worsening.of(question, said.accepted !== undefined);
  };
  return assertions.map((assertion, at): JudgedAssertion => {
    const question = of(after, at, assertion);
    const is = found(after, question);
    const was = before === after ? is : found(before, of(before, at, assertion));
    const isAccepted = assertion.said.accepted !== undefined && is.state === "unknown";
    const worse = is.state === "holds" || is.state === "empty" || before === after ? undefined : worsened(assertion, question);
    const fell = isGraver(is, was) && !isAccepted;
    return {
      ...assertion.said,
      scope,
      state: is.state,
      before: was.state,
      isByChange: fell || (worse !== undefined && !isAccepted),
      why: is.why,
      witness: witnessOf(model, was.state === is.state && worse !== undefined ? worse : is.witness),
    };
  });
}

function translatedIn({ translated = [] }: Extract<FlowQuestion, { readonly flows: unknown }>): FlowSet[] {
  return translated.map(({ flows }) => flows);
}

/** Compares findings. A doubt does not count: the finding is ranked by its result without the doubt. */
function isGraver(is: Finding, was: Finding): boolean {
  const gravity = ({ state, isOpen }: Finding): number => (state === "unknown" && !isOpen ? gravityOf("holds") : gravityOf(state));
  return gravity(is) > gravity(was);
}

function findingOf(model: Model, policy: CompiledPolicy | undefined, question: Question | NotUnderstood, scope: string): Finding {
  if (policy === undefined) return { state: "empty", why: [`There is no rulebase "${scope}".`], isOpen: true };
  if (!("flows" in question)) return { state: "empty", why: [question.notUnderstood], isOpen: true };
  const { state, witness } = judge(model, policy, question);
  const found = { witness, isOpen: true };
  switch (state) {
    case "empty":
      return {
        state,
        why: ["It matches no flow: a zone, a group or an address of it is empty, or except: excludes everything."],
        ...found,
      };
    case "broken":
      return { state, why: [], ...found };
    case "not proven":
      return { state: "unknown", why: [], ...found };
    case "undecided":
      return { state: "unknown", why: ["It was given up: too many rules overlap."], ...found };
    case "holds":
      return notTranslated(model, policy, question) ?? doubted(policy);
  }
}

/** Returns the finding that a NAT rule may send allowed flows to the destination; undefined if security rules deny all flows of NAT rules. */
function notTranslated(model: Model, policy: CompiledPolicy, question: Question): Finding | undefined {
  const open = question.translated.filter(({ flows }) => !["holds", "empty"].includes(judge(model, policy, { ...question, flows }).state));
  if (open.length === 0) return undefined;
  const names = [...new Set(open.map(({ rule }) => `"${rule}"`))].join(", ");
  const why = `NAT: rule ${names} sends flows for another address to this destination, and a security rule allows such flows. Assert the path (path:) to judge it.`;
  return { state: "unknown", why: [why], isOpen: true };
}

/** Returns "unknown" instead of "holds" if the policy model is incomplete. */
function doubted({ policy: { limits } }: CompiledPolicy): Finding {
  const doubts = limits.filter(({ doubtful, isOfChange }) => doubtful && isOfChange !== true).map(({ text }) => text);
  return { state: doubts.length === 0 ? "holds" : "unknown", why: doubts, isOpen: false };
}

function witnessOf(model: Model, witness: Judgement["witness"]): AssertionWitness | undefined {
  if (witness === undefined) return undefined;
  const { rule, region } = witness;
  const [flow] = formatFlows(region, model, new AddressNames([rule], new AmbiguousNames([rule])));
  if (flow === undefined) return undefined;
  return { rule: { name: rule.key.name, where: rule.origin }, flow, condition: formatConditions(region.conditions) };
}
