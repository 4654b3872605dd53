import type { FlowSet, Policy } from "../reachability/flows/policy.js";
import { compileMeeting } from "./concerned-rules.js";
import type { DesignPlace, Draft, Drafts, RuleDesigner } from "./designer.js";
import { changesNothing, type Proof, prove } from "./proof.js";
import type { AccessRequest } from "./request.js";
import { type AccessState, type Gap, gapOf, requestState } from "./situation.js";

/** A draft with its proven effect. */
export interface Design extends Draft {
  readonly proof: Proof;
}

export interface Designs {
  readonly state: AccessState;
  /** Designs that open exactly the request, best first, and then those that open more. Empty unless the request is denied. */
  readonly designs: readonly Design[];
  /** Reasons why other drafts were discarded. */
  readonly reasons: readonly string[];
  readonly gap: Gap | undefined;
}

/** Maximum number of drafts whose effect is calculated. */
const MOST_DRAFTS = 40;
/** Number of exact designs after which no further one is searched. */
const ENOUGH = 4;

export interface DesignQuestion {
  readonly place: DesignPlace;
  readonly request: AccessRequest;
  readonly flows: FlowSet;
  readonly policy: Policy;
  readonly designer: RuleDesigner;
  /** Other firewalls of a manager that receive the same edit. */
  readonly others?: readonly OtherPolicy[] | undefined;
  /** Returns the policies after a draft: that of the question, and those of the others. */
  after(draft: Draft): readonly Policy[];
}

/** Rules of other firewalls that receive an edit. */
export interface OtherPolicy {
  /** Names of the firewalls. */
  readonly name: string;
  readonly policy: Policy;
  /** The requested flows there. */
  readonly flows: FlowSet;
  /** They lack some of the zones or objects of the request. */
  readonly isPartial: boolean;
  readonly state: AccessState;
}

/** Answers whether a request is allowed, and designs the smallest edits that allow it. */
export function designsFor(question: DesignQuestion): Designs {
  const { model, compiled, question: flows } = compileMeeting(question.policy, question.flows, 1);
  const state = requestState(model, compiled, flows);
  const none = { state, designs: [], reasons: [], gap: undefined };
  if (state !== "denied") return none;
  const gap = gapOf(model, compiled, flows);
  if (gap === undefined) return { ...none, state: "undecided" };
  return { state, ...choose(question, draftsFor(question, gap)), gap };
}

/** Additions to existing rules come first. */
function draftsFor({ place, request, designer }: DesignQuestion, gap: Gap): Drafts {
  const found = [
    ...gap.nearly.map(({ rule, field, byDefault }) => designer.extend(place, request, rule, field, byDefault)),
    designer.insert(place, request, gap.stopper),
  ];
  return { drafts: found.flatMap(({ drafts }) => drafts), obstacles: found.flatMap(({ obstacles }) => obstacles) };
}

function choose(question: DesignQuestion, found: Drafts): Pick<Designs, "designs" | "reasons"> {
  return provenDesigns(found, (draft) => {
    const [after, ...others] = question.after(draft);
    if (after === undefined) throw new Error("an edit keeps the rulebase");
    const faults = () => (question.others ?? []).flatMap((other, at) => faultsAt(other, others[at]));
    return { before: question.policy, after, flows: [question.flows], faults };
  });
}

/** The rules before and after a draft. */
interface Drafted {
  readonly before: Policy;
  readonly after: Policy;
  readonly flows: readonly FlowSet[];
  /** True: rules without effect are no fault. */
  readonly isUnordered?: boolean;
  /** Returns further reasons why the draft must not be used. */
  faults?(): readonly string[];
}

/** Proves the effect of drafts, fewest edits first. Drafts that open more than the request come last. */
export function provenDesigns({ drafts, obstacles }: Drafts, draftedBy: (draft: Draft) => Drafted): Pick<Designs, "designs" | "reasons"> {
  const ranked = drafts.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  const reasons = [...obstacles];
  const exact: Design[] = [];
  const wider: Design[] = [];
  for (const draft of ranked.slice(0, MOST_DRAFTS)) {
    if (exact.length === ENOUGH) break;
    const { before, after, flows, faults, isUnordered } = draftedBy(draft);
    const proof = prove(before, after, flows, isUnordered !== true);
    const [fault] = [...proof.faults, ...(faults?.() ?? [])];
    if (fault !== undefined) reasons.push(`${draft.summary}: ${fault}`);
    else (proof.excess.length === 0 ? exact : wider).push({ ...draft, proof });
  }
  if (ranked.length > MOST_DRAFTS) reasons.push(`${ranked.length - MOST_DRAFTS} more edits of existing rules were not checked.`);
  return { designs: [...exact, ...wider], reasons };
}

/** Returns why a draft must not be used, because of other firewalls. It may not open more than the request there. */
function faultsAt({ name, policy, flows, isPartial, state }: OtherPolicy, after: Policy | undefined): string[] {
  if (after === undefined) return [`It would remove the rules of ${name}.`];
  // A firewall refuses a pushed rule with a zone that it does not have.
  if (isPartial) return changesNothing(policy, after) ? [] : [partialText(name)];
  const { faults, excess } = prove(policy, after, [flows], state === "denied");
  const wider = excess.length === 0 ? [] : ["It would open flows that the request does not contain."];
  return [...faults, ...wider].map((text) => `${name}: ${text}`);
}

/** Returns the reason why a new rule must not reach firewalls without its zones or objects. */
export function partialText(name: string): string {
  return `${name}: Some of these zones or objects are not known there, so the push of this edit may fail.`;
}

/** Returns how rules treat the flows of a request. */
export function accessState(policy: Policy, flows: FlowSet): AccessState {
  const { model, compiled, question } = compileMeeting(policy, flows);
  return requestState(model, compiled, question);
}

/** Members before rules, then fewer edits. Descriptions do not count. */
function sizeOf({ kind, edits }: Draft): number {
  return (kind === "rule" ? 100 : 0) + edits.filter((edit) => edit.kind !== "text").length;
}
