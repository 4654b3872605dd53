import { type Design, designsFor } from "../../access/design.js";
import type { RuleDesigner } from "../../access/designer.js";
import { type Edit, withEdits } from "../../access/edit.js";
import { prove } from "../../access/proof.js";
import type { TreeNode } from "../../core/tree/node.js";
import { isOfPath } from "../../desired/assertions.js";
import type { AccessAnswer, AccessDesign, AccessWords } from "../../outcome/access.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import { judgeAssertions } from "../../reachability/assertions/assertions.js";
import type { FlowSet, Policy } from "../../reachability/flows/policy.js";
import { AmbiguousNames } from "../../reachability/format/ambiguous-names.js";
import { AddressNames } from "../../reachability/format/format-addresses.js";
import { pairedFlows } from "../../reachability/format/format-flow.js";
import type { PolicyOptions, PolicyRole, Rulebase } from "../../reachability/policy-role.js";
import { reachIn } from "../../reachability/questions/format-reach.js";
import type { TargetContext } from "../pass/context.js";
import type { ReadTarget } from "../target.js";
import { AccessRefused, type ResolvedRequest, resolveRequest } from "./endpoints.js";

/** Rules that requests are about, and the documents that can be edited. */
export interface AccessBase {
  readonly context: TargetContext;
  readonly target: ReadTarget;
  readonly role: PolicyRole;
  readonly reader: Awaited<ReturnType<PolicyRole["load"]>>;
  readonly designer: RuleDesigner;
  /** The complete configuration after the plan of the current documents. */
  readonly tree: TreeNode;
  readonly declared: TreeNode;
  readonly options: PolicyOptions;
  /** One rulebase. Undefined: the only one in which both ends have a zone. */
  readonly scope: string | undefined;
}

/** An answer with its designs, best first, and the flows of the request. */
export interface Answered {
  readonly answer: AccessAnswer;
  readonly designs: readonly Design[];
  readonly flows: FlowSet | undefined;
}

/** A request about one target. */
export interface TargetRequest extends AccessWords {
  /** The rulebase. Undefined: that of the question. */
  readonly scope?: string | undefined;
}

/** Answers one request, with designs whose effect on flows and assertions is checked. */
export async function answerRequest(base: AccessBase, { scope, ...words }: TargetRequest, note: string): Promise<Answered> {
  const empty = { request: words, scope: undefined, now: undefined, designs: [], reasons: [], notes: [] };
  try {
    const { rulebase, policy, resolved } = siteOf(scope === undefined ? base : { ...base, scope }, words, note);
    const { request, flows } = resolved;
    const now = reachIn(policy, flows);
    const resolvedWords: AccessWords = { ...words, fromZone: request.from.zone, toZone: request.to.zone };
    const place = { scope: rulebase.scope, tree: base.tree, declared: base.declared, conventions: base.context.settings.design };
    const after = (draft: { readonly edits: readonly Edit[] }) => policyAfter(base, rulebase.scope, draft.edits);
    const found = designsFor({ place, request, flows, policy, designer: base.designer, after });
    const known = { ...empty, request: resolvedWords, scope: rulebase.scope, now, notes: [...resolved.notes, ...now.doubts] };
    if (found.state === "allowed" || found.state === "conditional") return { answer: { ...known, state: found.state }, designs: [], flows };
    if (found.state !== "denied") {
      const why = found.state === "empty" ? "The request selects no flow." : "The rules are too complex for an exact answer.";
      return { answer: { ...known, state: "refused", reasons: [why] }, designs: [], flows };
    }
    const { designs, reasons } = await withoutBroken(base, found.designs);
    const described = designs.map((design) => describe(design, flows));
    const state = designs.length === 0 ? "refused" : "designed";
    return { answer: { ...known, state, designs: described, reasons: [...reasons, ...found.reasons] }, designs, flows };
  } catch (error) {
    if (!(error instanceof AccessRefused)) throw error;
    return { answer: { ...empty, state: "refused", reasons: [error.message] }, designs: [], flows: undefined };
  }
}

interface Site {
  readonly rulebase: Rulebase;
  readonly policy: Policy;
  readonly resolved: ResolvedRequest;
}

/** Finds the rulebase of a request. */
export function siteOf(
  { reader, tree, options, scope }: AccessBase,
  words: AccessWords,
  note: string,
  may: { readonly anyApplication?: boolean } = {},
): Site {
  const all = reader.rulebases([tree], options);
  const rulebases = scope === undefined ? all : all.filter(({ within }) => within.includes(scope));
  if (rulebases.length === 0)
    throw new AccessRefused(scope === undefined ? "The target has no rulebase." : `There is no rulebase "${scope}".`);
  if (rulebases.some(({ firewalls }) => firewalls !== undefined)) throw new AccessRefused("not supported yet: rules of a manager.");
  const reasons: string[] = [];
  const sites = rulebases.flatMap((rulebase): Site[] => {
    const [policy] = rulebase.policies();
    if (policy === undefined) return [];
    try {
      return [{ rulebase, policy, resolved: resolveRequest(words, note, rulebase, policy, may) }];
    } catch (error) {
      if (!(error instanceof AccessRefused)) throw error;
      reasons.push(rulebases.length === 1 ? error.message : `${rulebase.scope}: ${error.message}`);
      return [];
    }
  });
  const [site, ...others] = sites;
  if (site === undefined) throw new AccessRefused(reasons.join(" "));
  if (others.length > 0)
    throw new AccessRefused(`Several rulebases have these zones: ${sites.map(({ rulebase }) => rulebase.scope).join(", ")}. Set --scope.`);
  return site;
}

/** Returns the policy of a rulebase after edits. */
export function policyAfter({ reader, tree, options }: AccessBase, scope: string, edits: readonly Edit[]): Policy {
  const policy = reader
    .rulebases([tree, withEdits(tree, edits)], options)
    .find((each) => each.scope === scope)
    ?.policies()[1];
  if (policy === undefined) throw new Error(`an edit keeps the rulebase ${scope}`);
  return policy;
}

/** Compares the configuration that a plan results in with the requests. Returns the reasons why the plan does something else. */
export function proveAfter(
  { reader, tree, options }: AccessBase,
  planned: TreeNode,
  flows: ReadonlyMap<string, readonly FlowSet[]>,
  acceptExcess: boolean,
): string[] {
  return reader.rulebases([tree, planned], options).flatMap((rulebase) => {
    const [before, after] = rulebase.policies();
    const requested = flows.get(rulebase.scope);
    if (rulebase.isSame && requested === undefined) return [];
    if (before === undefined || after === undefined) return before === after ? [] : [`The plan changes whether ${rulebase.scope} exists.`];
    const { faults, excess } = prove(before, after, requested ?? []);
    const isWider = excess.length > 0 && (requested === undefined || !acceptExcess);
    return [...faults, ...(isWider ? [`The plan opens flows of ${rulebase.scope} that the request does not contain.`] : [])];
  });
}

/** Removes designs that break an assertion. */
async function withoutBroken(
  base: AccessBase,
  designs: readonly Design[],
): Promise<{ readonly designs: readonly Design[]; readonly reasons: readonly string[] }> {
  const kept: Design[] = [];
  const reasons: string[] = [];
  for (const design of designs) {
    const broken = await brokenBy(base, withEdits(base.tree, design.edits));
    if (broken.length === 0) kept.push(design);
    else reasons.push(...broken);
  }
  return { designs: kept, reasons: [...new Set(reasons)] };
}

/**
 * Returns a sentence for each assertion that a change of the configuration breaks. Assertions about complete paths are judged with the
 * plan.
 */
export async function brokenBy({ context, role, tree, target }: AccessBase, after: TreeNode): Promise<readonly string[]> {
  const { desired, configuration } = context;
  const assertions = (desired.assertions ?? []).filter((assertion) => !isOfPath(assertion));
  if (assertions.length === 0) return [];
  const judged = await judgeAssertions({ role, desired: { ...desired, assertions }, configuration, target }, { before: tree, after });
  return judged.filter(({ isByChange }) => isByChange).map((each) => brokenText(each));
}

function brokenText({ name, description, where, state }: JudgedAssertion): string {
  const at = where.file === undefined ? "" : ` (${where.file}:${where.line ?? 1})`;
  const text = description === undefined ? "" : `: ${description}`;
  return `It contradicts assertion ${name}${at}${text}${state === "unknown" ? ". Whether the assertion holds would not be known." : ""}`;
}

function describe({ summary, proof, notes = [] }: Design, flows: FlowSet): AccessDesign {
  const names = new AddressNames([flows], new AmbiguousNames([flows]));
  const still = proof.stillDenied.map(({ key }) => `Rule "${key.name}" still denies some of these flows, if its unknown conditions hold.`);
  const treatment = proof.changesTreatment ? ["Some flows of the request that were allowed before get other logs or profiles."] : [];
  return {
    summary,
    isPartial: still.length > 0,
    excess: pairedFlows(proof.excess, proof.model, names),
    notes: [...still, ...treatment, ...notes],
  };
}
