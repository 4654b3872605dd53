import { PlumblineError } from "../core/errors.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { FlowSet, Policy, Rule } from "../reachability/flows/policy.js";
import type { PolicyOptions } from "../reachability/policy-role.js";
import { accessState, type Design, type Designs, provenDesigns } from "./design.js";
import type { DesignPlace, Drafts } from "./designer.js";
import { type Edit, withEdits } from "./edit.js";
import { type Proof, prove } from "./proof.js";
import { closingOf, type Revocations } from "./revoke.js";

/** A flow in the words of a user. Clouds and controllers do not distinguish applications. */
export interface RequestWords {
  /** An address, a network, or the name of an object. */
  readonly from: string;
  readonly to: string;
  /** `tcp/5432`, `icmp`. */
  readonly service: string;
  /** Refused: clouds and controllers do not distinguish users either. */
  readonly user?: string | undefined;
  readonly fromZone?: string | undefined;
  readonly toZone?: string | undefined;
}

/** A request whose ends are known in one target. */
export interface FlowRequest {
  /** Rulebase of the flow, as in `scope:` of documents. */
  readonly scope: string;
  /** Names of the ends, for users. */
  readonly fromZone: string;
  readonly toZone: string;
  readonly notes: readonly string[];
  /** Returns edits that may allow the request, best first. Each one is complete: it contains the rules of both ends. */
  drafts(place: DesignPlace, note: string): Drafts;
  /** Returns edits that may close the request, narrowest first. Each one is complete. */
  narrowings(place: DesignPlace): Drafts;
}

/** Two versions of the rules of a target, with the flows of requests. */
export interface ComparableRules {
  readonly before: Policy;
  readonly after: Policy;
  /** In the order of the requests. */
  readonly flows: readonly FlowSet[];
  /** Flows that no sender can send, as rules. They count neither as requested nor as opened or closed. */
  readonly impossible?: readonly Rule[] | undefined;
  /** True if rules only allow, in no order. Then a rule that another one makes redundant is no fault. */
  readonly isUnordered?: boolean;
}

/** A declared rule or group with an end date. */
export interface EndingRule {
  readonly name: string;
  readonly path: Path;
  readonly until: string;
  /** Removes it, or the reason why documents cannot. */
  readonly edits: readonly Edit[] | string;
}

/**
 * Writes access requests for targets whose rules belong to the ends of a flow: security groups of a cloud, network policies of a
 * controller.
 */
export interface FlowDesigner {
  readonly style: "ends";
  /** Finds the ends of a request. Throws `flow-not-understood` with the reason and the next step. */
  request(tree: TreeNode, words: RequestWords, options: PolicyOptions): FlowRequest;
  /** Compiles two versions, so that the flows of the requests are distinguished from all others. */
  compare(before: TreeNode, after: TreeNode, requests: readonly FlowRequest[], options: PolicyOptions): ComparableRules;
  /** Returns the rules and groups that end. Undefined for a kind whose end dates are not read. */
  endings?(place: DesignPlace): readonly EndingRule[];
}

export interface FlowQuestionAt {
  readonly designer: FlowDesigner;
  readonly place: DesignPlace;
  readonly request: FlowRequest;
  readonly options: PolicyOptions;
}

/** Answers whether a request is allowed, and designs edits of both ends that allow it. */
export function designsForFlow({ designer, place, request, options }: FlowQuestionAt, note: string): Designs {
  const none = { designs: [], reasons: [], gap: undefined };
  const now = withImpossible(designer.compare(place.tree, place.tree, [request], options), "allow");
  const state = accessState(now.before, onlyFlow(now));
  if (state !== "denied") return { ...none, state };
  const compared = (edits: readonly Edit[]) =>
    withImpossible(designer.compare(place.tree, withEdits(place.tree, edits), [request], options), "allow");
  const { designs, reasons } = provenDesigns(request.drafts(place, note), ({ edits }) => compared(edits));
  return { ...none, state, designs: withFewestExcess(designs), reasons: firstOf(reasons) };
}

/** Number of shown designs that open or close more than the request, and of exact ones that close it. */
const MOST_WIDER = 3;
const MOST_EXACT = 4;

/** Number of shown reasons why edits were discarded. */
const MOST_REASONS = 8;

/** Returns the first reasons. Those that concern no single edit come first. */
function firstOf(reasons: readonly string[]): readonly string[] {
  const more = reasons.length - MOST_REASONS;
  return more <= 1 ? reasons : [...reasons.slice(0, MOST_REASONS), `${more} more edits are not possible.`];
}

/** Keeps the exact designs, and of the others those that open the fewest sets of flows. */
function withFewestExcess(designs: readonly Design[]): readonly Design[] {
  const exact = designs.filter(({ proof }) => proof.excess.length === 0);
  const wider = designs.filter(({ proof }) => proof.excess.length > 0).sort((a, b) => a.proof.excess.length - b.proof.excess.length);
  return [...exact, ...wider.slice(0, MOST_WIDER)];
}

/** Finds edits that close exactly the flows of a request, and then those that close more. */
export function revocationsForFlow({ designer, place, request, options }: FlowQuestionAt): Revocations {
  const none = { allowing: [], designs: [], reasons: [] };
  const compared = (tree: TreeNode) => withImpossible(designer.compare(place.tree, tree, [request], options), "deny");
  const now = compared(place.tree);
  const state = accessState(now.before, onlyFlow(now));
  if (state === "empty" || state === "undecided") return { ...none, state };
  if (closingOf(now.before, now.after, onlyFlow(now)).allowing.length === 0) return { ...none, state: "denied" };
  const { drafts, obstacles } = request.narrowings(place);
  const reasons = [...obstacles];
  const designs = drafts.flatMap(({ summary, edits }) => {
    const { before, after, flows } = compared(withEdits(place.tree, edits));
    const { model, fault, excess, allowing } = closingOf(before, after, onlyFlow({ flows }));
    const why = fault ?? (allowing.length > 0 ? "It would not close all flows of the request." : undefined);
    if (why !== undefined) reasons.push(`${summary}: ${why}`);
    return why === undefined ? [{ steps: [summary], edits, excess, model }] : [];
  });
  const exact = designs.filter(({ excess }) => excess.length === 0);
  const wider = designs.toSorted((a, b) => a.excess.length - b.excess.length).slice(0, MOST_WIDER);
  const shown = exact.length > 0 ? exact.slice(0, MOST_EXACT) : wider;
  return { state: "allowed", allowing: [], designs: shown, reasons: shown.length === 0 ? firstOf([...new Set(reasons)]) : [] };
}

/** Compares a planned configuration with the flows of requests. */
export function proveFlows(compared: ComparableRules): Proof {
  const { before, after, flows, isUnordered } = withImpossible(compared, "allow");
  return prove(before, after, flows, isUnordered !== true);
}

/** Gives impossible flows one verdict in both versions: `allow` if a request has to be allowed completely, otherwise `deny`. */
export function withImpossible(compared: ComparableRules, verdict: "allow" | "deny"): ComparableRules {
  const rules = (compared.impossible ?? []).map((rule) => ({ ...rule, verdict, action: verdict }));
  const below = (policy: Policy): Policy => ({ ...policy, rules: [...rules, ...policy.rules] });
  return { ...compared, before: below(compared.before), after: below(compared.after) };
}

/** Returns the flows of the only request. */
export function onlyFlow({ flows }: Pick<ComparableRules, "flows">): FlowSet {
  const [flow, ...more] = flows;
  if (flow === undefined || more.length > 0) throw new Error("one request has one set of flows");
  return flow;
}

/** Returns the error for an end of a request that does not exist or is not unique. */
export function flowRefused(why: string, next?: string): PlumblineError {
  return new PlumblineError("flow-not-understood", why, next === undefined ? {} : { next });
}
