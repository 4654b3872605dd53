import { withEdits } from "../../access/edit.js";
import {
  designsForFlow,
  type FlowDesigner,
  type FlowRequest,
  proveFlows,
  type RequestWords,
  revocationsForFlow,
} from "../../access/flow-designer.js";
import type { Revocation } from "../../access/revoke.js";
import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { AccessWords } from "../../outcome/access.js";
import type { Reach } from "../../outcome/reach.js";
import type { RevokeResult } from "../../outcome/revoke.js";
import { meeting } from "../../reachability/flows/may-match.js";
import type { FlowSet } from "../../reachability/flows/policy.js";
import { AmbiguousNames } from "../../reachability/format/ambiguous-names.js";
import { AddressNames } from "../../reachability/format/format-addresses.js";
import { pairedFlows } from "../../reachability/format/format-flow.js";
import { reachIn } from "../../reachability/questions/format-reach.js";
import { type AccessBase, type Answered, brokenBy, describe, type TargetRequest, withoutBroken } from "./answer-requests.js";

type FlowBase = AccessBase<FlowDesigner>;

/** Answers a request for a cloud or controller, with designs whose effect on flows and assertions is checked. */
export async function answerFlow(base: FlowBase, { scope, ...words }: TargetRequest, note: string): Promise<Answered<FlowRequest>> {
  const empty = { request: words, scope: undefined, now: undefined, designs: [], reasons: [], notes: [] };
  const understood = understand(base, words, scope);
  if (typeof understood === "string") return { answer: { ...empty, state: "refused", reasons: [understood] }, designs: [], requested: [] };
  const { request, flows, now } = understood;
  const named: AccessWords = { ...words, fromZone: request.fromZone, toZone: request.toZone };
  const known = { ...empty, request: named, scope: request.scope, now, notes: [...request.notes, ...now.doubts] };
  const found = designsForFlow({ ...questionAt(base, request), request }, note);
  if (found.state === "allowed" || found.state === "conditional")
    return { answer: { ...known, state: found.state }, designs: [], requested: [request] };
  if (found.state !== "denied")
    return { answer: { ...known, state: "refused", reasons: [WHY[found.state]] }, designs: [], requested: [request] };
  const { designs, reasons } = await withoutBroken(base, found.designs, { isSingle: true });
  const state = designs.length === 0 ? "refused" : "designed";
  const described = designs.map((design) => describe(design, flows));
  return { answer: { ...known, state, designs: described, reasons: [...reasons, ...found.reasons] }, designs, requested: [request] };
}

/** Compares the configuration that a plan results in with the requests. Returns the reasons why the plan does something else. */
export function proveFlowsAfter(
  { designer, tree, options }: FlowBase,
  planned: TreeNode,
  requests: readonly FlowRequest[],
  acceptExcess: boolean,
): string[] {
  const compared = designer.compare(tree, planned, requests, options);
  const { faults, excess } = proveFlows(compared);
  const isWider = excess.length > 0 && !acceptExcess;
  return [...faults, ...(isWider ? [`The plan opens flows of ${compared.before.scope} that the request does not contain.`] : [])];
}

/** Finds the edits that close the flows of a request in a cloud or controller. */
export async function revokeFlow(
  base: FlowBase,
  words: AccessWords,
): Promise<{ readonly answer: Omit<RevokeResult, "files" | "faults" | "atApply">; readonly designs: readonly Revocation[] }> {
  const empty = { request: words, scope: undefined, now: undefined, designs: [], notes: [] };
  const understood = understand(base, words, base.scope);
  if (typeof understood === "string") return { answer: { ...empty, state: "refused", reasons: [understood] }, designs: [] };
  const { request, flows, now } = understood;
  const named: AccessWords = { ...words, fromZone: request.fromZone, toZone: request.toZone };
  const known = { ...empty, request: named, scope: request.scope, now, notes: request.notes };
  const found = revocationsForFlow({ ...questionAt(base, request), request });
  if (found.state === "denied") return { answer: { ...known, state: "denied", reasons: [] }, designs: [] };
  if (found.state !== "allowed") return { answer: { ...known, state: "refused", reasons: [WHY[found.state]] }, designs: [] };
  const designs: Revocation[] = [];
  const broken: string[] = [];
  for (const design of found.designs) {
    const [reason] = await brokenBy(base, withEdits(base.tree, design.edits));
    if (reason === undefined) designs.push(design);
    else broken.push(reason);
  }
  if (designs.length === 0)
    return { answer: { ...known, state: "refused", reasons: [...new Set([...broken, ...found.reasons])] }, designs };
  const names = new AddressNames([flows], new AmbiguousNames([flows]));
  const described = designs.map(({ steps, excess, model }) => ({ steps, excess: pairedFlows(excess, model, names) }));
  return { answer: { ...known, state: "designed", designs: described, reasons: [] }, designs };
}

const WHY = { empty: "The request selects no flow.", undecided: "The rules are too complex for an exact answer." } as const;

function questionAt({ designer, tree, declared, context, options }: FlowBase, { scope }: FlowRequest) {
  return { designer, place: { scope, tree, declared, conventions: context.settings.design }, options };
}

interface Understood {
  readonly request: FlowRequest;
  readonly flows: FlowSet;
  /** The rules that decide now. */
  readonly now: Reach;
}

/** Returns the reason as a sentence if the words do not describe a flow of the target. */
function understand({ designer, tree, options }: FlowBase, words: RequestWords, scope: string | undefined): Understood | string {
  try {
    const any = (["from", "to", "service"] as const).find((flag) => words[flag] === "any" || words[flag] === "");
    if (any !== undefined) return `--${any} any: an access request names its flows.`;
    if (words.user !== undefined) return "--user: only firewalls distinguish users.";
    const request = designer.request(tree, words, options);
    if (scope !== undefined && scope !== request.scope) return `There is no rulebase "${scope}".`;
    const { before, flows } = designer.compare(tree, tree, [request], options);
    const [own] = flows;
    if (own === undefined) throw new Error("one request has one set of flows");
    return { request, flows: own, now: reachIn(meeting(before, [own]), own) };
  } catch (error) {
    if (!(error instanceof PlumblineError) || error.code !== "flow-not-understood") throw error;
    return [error.message, error.next ?? ""].join(" ").trim();
  }
}
