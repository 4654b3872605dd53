import type { PlumblineError } from "../../core/errors.js";
import type { FlowAssertion } from "../../desired/assertions.js";
import type { SourceMap } from "../../desired/source-map.js";
import { type Assertion as Asked, type Judgement, judge } from "../../insight/assertion.js";
import { type CompiledPolicy, compile, type Model } from "../../insight/compile.js";
import type { FlowSet, Policy } from "../../insight/policy.js";
import { type Worsened, Worsening } from "../../insight/worsened.js";
import { type AssertionState, type AssertionWitness, gravityOf, type JudgedAssertion } from "../../outcome/assertion.js";
import { AddressNames } from "./address-words.js";
import { conditionWords, flowWords } from "./flow-words.js";

/** The flows of an assertion in one version; a word of it that means nothing there. */
export type AskedFlows = { readonly flows: FlowSet; readonly except: readonly FlowSet[] } | PlumblineError;

/** One version of a rulebase with what each assertion asks of it; no policy: the rulebase is not there. */
export interface JudgedVersion {
  readonly policy: Policy | undefined;
  readonly asked: readonly AskedFlows[];
}

interface Finding {
  readonly state: AssertionState;
  readonly why: readonly string[];
  readonly isOpen: boolean;
  readonly witness?: Judgement["witness"];
}

/** Judges assertions in one rulebase before and after a change. */
export function judgeIn(
  scope: string,
  assertions: readonly FlowAssertion[],
  [before, after]: readonly [JudgedVersion, JudgedVersion],
  sources: SourceMap,
): JudgedAssertion[] {
  const versions = [before, after].filter((version, at, all) => at === 0 || version !== all[0]);
  const policies = versions.flatMap(({ policy }) => policy ?? []);
  const questions = versions.flatMap(({ asked }) => asked.flatMap((each) => ("flows" in each ? [each.flows, ...each.except] : [])));
  const model = compile(policies, questions);
  const compiled = new Map(policies.map((policy, at) => [policy, model.policies[at] as CompiledPolicy]));
  const boxes = new Map(questions.map((question, at) => [question, model.questions[at] ?? []]));
  const of = ({ asked }: JudgedVersion, at: number, { verdict, some }: FlowAssertion): Asked | PlumblineError => {
    // Of a rulebase that is not there nothing is asked.
    const each = asked[at] ?? { flows: undefined, except: [] };
    if (!("flows" in each)) return each;
    return {
      verdict,
      some,
      flows: (each.flows && boxes.get(each.flows)) ?? [],
      except: each.except.flatMap((question) => boxes.get(question) ?? []),
    };
  };
  const found = (version: JudgedVersion, asked: Asked | PlumblineError): Finding =>
    findingOf(model, version.policy && compiled.get(version.policy), asked, scope);
  const [old, now] = [before, after].map(({ policy }) => (policy === undefined ? undefined : compiled.get(policy)));
  let worsening: Worsening | undefined;
  const worsened = (assertion: FlowAssertion, asked: Asked | PlumblineError): Worsened | undefined => {
    if (old === undefined || now === undefined || old === now || assertion.some || !("flows" in asked)) return undefined;
    worsening ??= new Worsening(model, old, now);
    return worsening.of(asked, assertion.acceptsUnknowns !== undefined);
  };
  return assertions.map((assertion, at): JudgedAssertion => {
    const asked = of(after, at, assertion);
    const is = found(after, asked);
    const was = before === after ? is : found(before, of(before, at, assertion));
    const isAccepted = assertion.acceptsUnknowns !== undefined && is.state === "unknown";
    const worse = is.state === "holds" || is.state === "empty" || before === after ? undefined : worsened(assertion, asked);
    const fell = isGraver(is, was) && !isAccepted;
    return {
      name: assertion.name,
      description: assertion.description,
      verdict: assertion.verdict,
      scope,
      where: sources.locate(assertion.origin) ?? {},
      state: is.state,
      before: was.state,
      isByChange: fell || (worse !== undefined && !isAccepted),
      why: is.why,
      accepted: assertion.acceptsUnknowns,
      strict: assertion.strict,
      witness: witnessOf(model, was.state === is.state && worse !== undefined ? worse : is.witness),
    };
  });
}

/** What is doubted is as good as what it would be without the doubt. */
function isGraver(is: Finding, was: Finding): boolean {
  const gravity = ({ state, isOpen }: Finding): number => (state === "unknown" && !isOpen ? gravityOf("holds") : gravityOf(state));
  return gravity(is) > gravity(was);
}

function findingOf(model: Model, policy: CompiledPolicy | undefined, asked: Asked | PlumblineError, scope: string): Finding {
  if (policy === undefined) return { state: "empty", why: [`There is no rulebase "${scope}".`], isOpen: true };
  if (!("flows" in asked)) return { state: "empty", why: [asked.message], isOpen: true };
  const { state, witness } = judge(model, policy, asked);
  const found = { witness, isOpen: true };
  switch (state) {
    case "empty":
      return { state, why: ["No flow is asked about: a zone, a group or an address of it is empty, or except: leaves nothing."], ...found };
    case "broken":
      return { state, why: [], ...found };
    case "not proven":
      return { state: "unknown", why: [], ...found };
    case "undecided":
      return { state: "unknown", why: ["It was given up: too many rules overlap."], ...found };
    case "holds":
      return doubted(policy);
  }
}

/** What holds by a model that leaves something out is not known to hold. */
function doubted({ policy: { limits } }: CompiledPolicy): Finding {
  const doubts = limits.filter(({ doubtful, isOfChange }) => doubtful && isOfChange !== true).map(({ text }) => text);
  return { state: doubts.length === 0 ? "holds" : "unknown", why: doubts, isOpen: false };
}

function witnessOf(model: Model, witness: Judgement["witness"]): AssertionWitness | undefined {
  if (witness === undefined) return undefined;
  const { rule, region } = witness;
  const [flow] = flowWords(region, model, new AddressNames([rule]));
  if (flow === undefined) return undefined;
  return { rule: { name: rule.key.name, where: rule.origin }, flow, condition: conditionWords(region.conditions) };
}
