import { Budget } from "../reachability/flows/budget.js";
import { type CompiledPolicy, END_LEVEL, type Model } from "../reachability/flows/compile.js";
import { decidedBy, type Part } from "../reachability/flows/decide.js";
import { differenceOf } from "../reachability/flows/difference.js";
import {
  type AddressRange,
  DEFAULT_LEVEL,
  type FlowSet,
  type Match,
  type Named,
  type Policy,
  type Rule,
  type RuleKey,
  ruleId,
} from "../reachability/flows/policy.js";
import { type Region, regionOf } from "../reachability/flows/region.js";
import type { Box } from "../reachability/flows/space.js";
import { unite } from "../reachability/flows/unite.js";
import { compareConcerned, compileMeeting } from "./concerned-rules.js";
import { type OtherPolicy, partialText } from "./design.js";
import type { DesignPlace, Draft, RuleDesigner } from "./designer.js";
import type { Edit } from "./edit.js";
import { extentOf, treated, withPlainVerdicts } from "./proof.js";
import type { AccessRequest } from "./request.js";

/** Edits that close the flows of a request. */
export interface Revocation {
  /** One line for each edit. */
  readonly steps: readonly string[];
  readonly edits: readonly Edit[];
  /** Flows outside the request that it closes. */
  readonly excess: readonly Region[];
  readonly model: Model;
}

export interface Revocations {
  /** `denied`: no flow of the request can pass. `allowed`: some can, perhaps only under unknown conditions. */
  readonly state: "denied" | "allowed" | "empty" | "undecided";
  /** Rules that allow flows of the request. */
  readonly allowing: readonly Rule[];
  /** Edits that close exactly the request, narrowest first, and then those that close more. */
  readonly designs: readonly Revocation[];
  /** Reasons why other edits were discarded. */
  readonly reasons: readonly string[];
}

/** Names of address objects, groups and literals of a rule that contain no address outside the request. */
export interface Contained {
  readonly source: ReadonlySet<string>;
  readonly destination: ReadonlySet<string>;
}

export interface RevokeQuestion {
  readonly place: DesignPlace;
  readonly request: AccessRequest;
  readonly flows: FlowSet;
  readonly policy: Policy;
  readonly designer: RuleDesigner;
  /** Other firewalls of a manager that receive the same edits. */
  readonly others?: readonly Pick<OtherPolicy, "name" | "policy" | "flows" | "isPartial">[] | undefined;
  /** Returns the policies after edits: that of the question, and those of the others. */
  after(edits: readonly Edit[]): readonly Policy[];
  /** Returns the place after edits. */
  placeAfter(edits: readonly Edit[]): DesignPlace;
}

/** Maximum number of rules that one design narrows. */
const MOST_RULES = 20;
/** Maximum number of edits that are tried for one rule. */
const MOST_DRAFTS = 16;

/** Finds the rules that allow flows of a request, and the narrowest edits that close these flows. */
export function revocationsFor(question: RevokeQuestion): Revocations {
  const none = { allowing: [], designs: [], reasons: [] };
  const now = allowedIn(question, policiesOf(question));
  if (now === "undecided" || now === "empty") return { ...none, state: now };
  if (now.length === 0) return { ...none, state: "denied" };
  const reasons: string[] = [];
  const narrowed = narrowAll(question, false, reasons);
  const denied = denyAbove(question, now[0]?.rule, reasons);
  // Edits that close more are only of interest if no edit is exact.
  const wider = narrowed === undefined && denied === undefined ? narrowAll(question, true, []) : undefined;
  const designs = [narrowed, denied, wider].flatMap((design) => design ?? []);
  return { state: "allowed", allowing: now.map(({ rule }) => rule), designs, reasons: designs.length === 0 ? [...new Set(reasons)] : [] };
}

const policiesOf = ({ policy, others = [] }: RevokeQuestion): readonly Policy[] => [policy, ...others.map((other) => other.policy)];

/** The requested flows in the policy of the question, and in those of the others. */
const flowsOf = ({ flows, others = [] }: RevokeQuestion): readonly FlowSet[] => [flows, ...others.map((other) => other.flows)];

/** A rule that allows flows of a request, and the requested flows in its policy. */
interface Allowing {
  readonly rule: Rule;
  readonly flows: FlowSet;
}

/** Rules of several policies that allow flows of a request. */
function allowedIn(question: RevokeQuestion, policies: readonly Policy[]): readonly Allowing[] | "empty" | "undecided" {
  const found: Allowing[] = [];
  for (const [at, flows] of flowsOf(question).entries()) {
    const policy = policies[at];
    if (policy === undefined) continue;
    const rules = allowedParts(policy, flows);
    if (rules === "undecided" || (rules === "empty" && at === 0)) return rules;
    if (rules !== "empty") found.push(...rules.map((rule) => ({ rule, flows })));
  }
  return found;
}

/** Rules that allow flows of a request, from the top. */
function allowedParts(policy: Policy, flows: FlowSet): readonly Rule[] | "empty" | "undecided" {
  const { model, compiled, question } = compileMeeting(policy, flows);
  if (question.length === 0) return "empty";
  const places = allowingPlaces(model, compiled, question);
  return places === undefined ? "undecided" : places.map((at) => compiled.rules[at]?.rule as Rule);
}

/** Undefined if the rules are too complex. */
function allowingPlaces({ space }: Model, policy: CompiledPolicy, question: readonly Box[]): readonly number[] | undefined {
  const effort = new Budget();
  const allows = (at: number) => policy.rules[at]?.rule.verdict === "allow";
  const parts: Part[] = [];
  for (const box of space.disjoint(question)) {
    const found = decidedBy(space, [box], policy.index.meeting(box), allows, effort);
    if (found === undefined) return undefined;
    parts.push(...found);
  }
  return [...new Set(parts.map(({ at }) => at))].sort((a, b) => a - b);
}

/** Effect of edits on the flows of a request and on all others. */
interface Closing {
  readonly model: Model;
  /** Why the edits must not be used. */
  readonly fault: string | undefined;
  readonly excess: readonly Region[];
  /** Rules that still allow flows of the request. */
  readonly allowing: readonly RuleKey[];
}

/** Effect of edits on all policies. The flows of the others that it closes must be those of the request, unless it closes more anyway. */
function closingOfAll(question: RevokeQuestion, before: readonly Policy[], after: readonly Policy[]): Closing {
  const names = [undefined, ...(question.others ?? []).map(({ name }) => name)];
  const all = flowsOf(question).map((flows, at) => closingOf(before[at] as Policy, after[at] as Policy, flows));
  const [first] = all;
  if (first === undefined) throw new Error("a question has a policy");
  const faults = all.map(({ fault, excess }, at) => {
    const why = fault ?? (excess.length > 0 && first.excess.length === 0 ? "It would close other flows." : undefined);
    return why === undefined || names[at] === undefined ? why : `${names[at]}: ${why}`;
  });
  return { ...first, fault: faults.find((fault) => fault !== undefined), allowing: all.flatMap(({ allowing }) => allowing) };
}

/** Returns the flows that edits close, compared with a request. */
export function closingOf(before: Policy, after: Policy, flows: FlowSet): Closing {
  const { model, before: one, after: other, question } = compareConcerned(treated(before), treated(after), [flows]);
  const difference = differenceOf(model, one, other);
  const excess: Box[] = [];
  let fault = difference.undecided.length > 0 ? "The effect of the edit is too complex to be calculated." : undefined;
  for (const row of difference.rows) {
    const { kind, boxes } = extentOf(row);
    const beyond = model.space.minusAll(boxes, question);
    if (kind === "opened") fault ??= "It would open flows.";
    else if (kind === "closed") excess.push(...beyond);
    else if (beyond.length > 0) fault ??= "It would change logs or profiles of other flows.";
  }
  const plain = withPlainVerdicts(other);
  const places = allowingPlaces(model, plain, question);
  if (places === undefined) fault ??= "The effect of the edit is too complex to be calculated.";
  const allowing = (places ?? []).flatMap((at) => plain.rules[at]?.rule.key ?? []);
  const regions = unite(model.space, model.space.disjoint(excess)).map((box) => regionOf(model, box));
  return { model, fault, excess: regions, allowing };
}

const isBuiltIn = ({ level }: RuleKey): boolean => level === DEFAULT_LEVEL || level === END_LEVEL;

/** Narrows the allowing rules one after another. Undefined if a rule cannot be narrowed. */
function narrowAll(question: RevokeQuestion, acceptExcess: boolean, reasons: string[]): Revocation | undefined {
  const edits: Edit[] = [];
  const steps: string[] = [];
  let policies = policiesOf(question);
  let { place } = question;
  for (let count = 0; count < MOST_RULES; count++) {
    const allowing = allowedIn(question, policies);
    if (allowing === "undecided" || allowing === "empty") return undefined;
    const [next] = allowing;
    if (next === undefined) return finished(question, { edits, steps });
    const { rule } = next;
    if (isBuiltIn(rule.key)) {
      reasons.push(`Rule "${rule.key.name}" allows it, and cannot be narrowed.`);
      return undefined;
    }
    const here = { ...question, place, after: (more: readonly Edit[]) => question.after([...edits, ...more]) };
    const chosen = bestDraft(here, policies, next, acceptExcess, reasons);
    if (chosen === undefined) return undefined;
    edits.push(...chosen.edits);
    steps.push(chosen.summary);
    policies = question.after(edits);
    place = question.placeAfter(edits);
  }
  reasons.push(`More than ${MOST_RULES} rules allow it.`);
  return undefined;
}

function bestDraft(
  question: RevokeQuestion,
  policies: readonly Policy[],
  { rule, flows }: Allowing,
  acceptExcess: boolean,
  reasons: string[],
): Draft | undefined {
  const { designer, place, request } = question;
  const { drafts, obstacles } = designer.narrow(place, request, rule.key, containedIn(rule, flows));
  reasons.push(...obstacles);
  let best: { readonly draft: Draft; readonly size: number } | undefined;
  for (const draft of drafts.slice(0, MOST_DRAFTS)) {
    const { fault, excess, allowing } = closingOfAll(question, policies, question.after(draft.edits));
    const still = allowing.some((key) => ruleId(key) === ruleId(rule.key));
    if (fault !== undefined || still) {
      reasons.push(`${draft.summary}: ${fault ?? "It would not close all flows of the request."}`);
      continue;
    }
    if (excess.length === 0) return draft;
    reasons.push(`${draft.summary}: It would close other flows.`);
    if (best === undefined || excess.length < best.size) best = { draft, size: excess.length };
  }
  return acceptExcess ? best?.draft : undefined;
}

function finished(question: RevokeQuestion, { edits, steps }: Pick<Revocation, "edits" | "steps">): Revocation | undefined {
  const { model, fault, excess, allowing } = closingOfAll(question, policiesOf(question), question.after(edits));
  return fault === undefined && allowing.length === 0 ? { edits, steps, excess, model } : undefined;
}

/** Designs a new deny rule above the first rule that allows flows of the request. */
function denyAbove(question: RevokeQuestion, first: Rule | undefined, reasons: string[]): Revocation | undefined {
  const { designer, place, request } = question;
  const partial = question.others?.find(({ isPartial }) => isPartial);
  if (partial !== undefined) {
    reasons.push(partialText(partial.name));
    return undefined;
  }
  const above = first === undefined || isBuiltIn(first.key) ? undefined : first.key;
  const { drafts, obstacles } = designer.insert(place, { ...request, action: "deny" }, above);
  reasons.push(...obstacles);
  for (const { edits, summary } of drafts) {
    const { model, fault, excess, allowing } = closingOfAll(question, policiesOf(question), question.after(edits));
    if (fault === undefined && allowing.length === 0 && excess.length === 0) return { edits, steps: [summary], excess, model };
    reasons.push(`${summary}: ${fault ?? "It would not close exactly the request."}`);
  }
  return undefined;
}

/** Returns the names of a rule that contain no address outside the request. */
function containedIn(rule: Rule, flows: FlowSet): Contained {
  return { source: namesWithin(rule.source, flows.source), destination: namesWithin(rule.destination, flows.destination) };
}

function namesWithin(match: Match<AddressRange>, wanted: Match<AddressRange>): ReadonlySet<string> {
  if (match === "any" || match.negated) return new Set();
  const isAny = wanted === "any";
  const all = contentOf(isAny || wanted.negated ? [] : wanted.objects);
  const isWithin = (object: Named<AddressRange>): boolean => {
    if (isAny) return true;
    const { ranges, unknowns } = contentOf([object]);
    return (
      ranges.length + unknowns.size > 0 &&
      ranges.every((range) => all.ranges.some(({ first, last }) => first <= range.first && range.last <= last)) &&
      [...unknowns].every((unknown) => all.unknowns.has(unknown))
    );
  };
  return new Set([...withMembers(match.objects)].filter(isWithin).map(({ name }) => name));
}

function withMembers(objects: readonly Named<AddressRange>[]): ReadonlySet<Named<AddressRange>> {
  const all = new Set(objects);
  for (const { members } of all) for (const member of members) all.add(member);
  return all;
}

/** Returns the addresses of objects, and the definitions of their unknown parts. */
function contentOf(objects: readonly Named<AddressRange>[]): {
  readonly ranges: readonly AddressRange[];
  readonly unknowns: ReadonlySet<string>;
} {
  const all = [...withMembers(objects)];
  const unknowns = all.flatMap((object) => object.unknowns.map(({ kind, definition }) => JSON.stringify([kind, definition])));
  return { ranges: all.flatMap(({ values }) => values), unknowns: new Set(unknowns) };
}
