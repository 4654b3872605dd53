import { type Design, designsFor } from "../../access/design.js";
import type { RuleDesigner } from "../../access/designer.js";
import { type Edit, withEdits } from "../../access/edit.js";
import type { FlowDesigner } from "../../access/flow-designer.js";
import { prove } from "../../access/proof.js";
import type { TreeNode } from "../../core/tree/node.js";
import { type Assertion, isHouseRule, isOfFlows, isOfPath } from "../../desired/assertions.js";
import type { AccessAnswer, AccessDesign, AccessWords, ManagedBy } from "../../outcome/access.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import { judgeAssertions } from "../../reachability/assertions/assertions.js";
import { meeting } from "../../reachability/flows/may-match.js";
import type { FlowSet, RuleKey } from "../../reachability/flows/policy.js";
import { AmbiguousNames } from "../../reachability/format/ambiguous-names.js";
import { AddressNames } from "../../reachability/format/format-addresses.js";
import { pairedFlows } from "../../reachability/format/format-flow.js";
import type { PolicyOptions, PolicyRole } from "../../reachability/policy-role.js";
import { reachIn } from "../../reachability/questions/format-reach.js";
import type { TargetContext } from "../pass/context.js";
import type { ReadTarget } from "../target.js";
import { AccessRefused } from "./endpoints.js";
import { coverageNotes, keysOf, othersOf, policiesAfter, siteOf } from "./request-site.js";

/** Rules that requests are about, and the documents that can be edited. */
export interface AccessBase<Designer extends RuleDesigner | FlowDesigner = RuleDesigner> {
  readonly context: TargetContext;
  readonly target: ReadTarget;
  readonly role: PolicyRole;
  readonly reader: Awaited<ReturnType<PolicyRole["load"]>>;
  readonly designer: Designer;
  /** The complete configuration after the plan of the current documents. */
  readonly tree: TreeNode;
  readonly declared: TreeNode;
  readonly options: PolicyOptions;
  /** One rulebase. Undefined: the only one in which both ends have a zone. */
  readonly scope: string | undefined;
}

/** A target of any kind with a designer. */
export type AnyAccessBase = AccessBase | AccessBase<FlowDesigner>;

/** Returns whether the rules of a target are ordered lists. */
export function isRuleBased(base: AnyAccessBase): base is AccessBase {
  return base.designer.style === "rules";
}

/** An answer with its designs, best first, and the flows of the request. */
export interface Answered<Requested = RequestedFlows> {
  readonly answer: AccessAnswer;
  readonly designs: readonly Design[];
  readonly requested: readonly Requested[];
}

/** Requested flows in one rulebase. */
export interface RequestedFlows {
  /** Identify the rulebase: one for each of its firewalls, or its scope. */
  readonly keys: readonly string[];
  readonly flows: FlowSet;
  /** They were denied before. */
  readonly isNeeded: boolean;
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
    const site = siteOf(scope === undefined ? base : { ...base, scope }, words, note);
    const { first } = site;
    const { policy, resolved } = first;
    const { request, flows } = resolved;
    const requested = [first, ...site.others].map(
      ({ rulebase, resolved: own, state }): RequestedFlows => ({
        keys: keysOf(rulebase),
        flows: own?.flows ?? flows,
        isNeeded: state === "denied",
      }),
    );
    const now = reachIn(meeting(policy, [flows]), flows);
    const resolvedWords: AccessWords = { ...words, fromZone: request.from.zone, toZone: request.to.zone };
    const place = { scope: site.scope, tree: base.tree, declared: base.declared, conventions: base.context.settings.design };
    const after = (draft: { readonly edits: readonly Edit[] }) => policiesAfter(base, site, draft.edits);
    const found = designsFor({ place, request, flows, policy, designer: base.designer, others: othersOf(site), after });
    const notes = [...resolved.notes, ...coverageNotes(site), ...now.doubts];
    const firewalls = [first, ...site.others].flatMap(({ rulebase }) => rulebase.firewalls ?? []).map(({ serial }) => serial);
    const covered = firewalls.length === 0 ? {} : { firewalls };
    const known = { ...empty, request: resolvedWords, scope: site.scope, now, notes, ...covered };
    if (found.state === "allowed" || found.state === "conditional")
      return { answer: { ...known, state: found.state }, designs: [], requested };
    if (found.state !== "denied") {
      const why = found.state === "empty" ? "The request selects no flow." : "The rules are too complex for an exact answer.";
      return { answer: { ...known, state: "refused", reasons: [why] }, designs: [], requested };
    }
    const { designs, reasons } = await withoutBroken(base, found.designs, { isSingle: site.others.length === 0 });
    const described = designs.map((design) => describe(design, flows));
    const state = designs.length === 0 ? "refused" : "designed";
    const stopper = found.gap?.stopper;
    // A rule of the firewall can precede a post-rule.
    const managed = designs.length === 0 && stopper?.level === "pre" ? managerOf(base, site.scope, stopper) : undefined;
    const all = [...reasons, ...found.reasons, ...(managed === undefined ? [] : [onManager("allow", managed)])];
    return { answer: { ...known, state, designs: described, managed, reasons: all }, designs, requested };
  } catch (error) {
    if (!(error instanceof AccessRefused)) throw error;
    return { answer: { ...empty, state: "refused", reasons: [error.message] }, designs: [], requested: [] };
  }
}

/** Returns the manager that pushed a rule to a firewall. Undefined for rules of the firewall itself, and for requests to a manager. */
export function managerOf({ context }: AccessBase, scope: string, { group }: RuleKey): ManagedBy | undefined {
  if (group === "" || scope.startsWith("device-group/") || scope === "shared") return undefined;
  return { scope: group, target: context.configuration.refersTo?.[0] };
}

/** Returns the sentence with the command for the manager. */
export function onManager(command: "allow" | "revoke", { target = "MANAGER", scope }: ManagedBy): string {
  return `Design it on the manager: \`plumbline ${command} ${target} --scope ${scope}\`.`;
}

/** Compares the configuration that a plan results in with the requests. Returns the reasons why the plan does something else. */
export function proveAfter(
  { reader, tree, options }: AccessBase,
  planned: TreeNode,
  requests: readonly RequestedFlows[],
  acceptExcess: boolean,
): string[] {
  return reader.rulebases([tree, planned], options).flatMap((rulebase) => {
    const [before, after] = rulebase.policies();
    const [key = ""] = keysOf(rulebase);
    const own = requests.filter(({ keys }) => keys.includes(key));
    const requested = own.length === 0 ? undefined : own.map(({ flows }) => flows);
    if (rulebase.isSame && requested === undefined) return [];
    if (before === undefined || after === undefined) return before === after ? [] : [`The plan changes whether ${rulebase.scope} exists.`];
    const { faults, excess } = prove(before, after, requested ?? [], requested === undefined || own.some(({ isNeeded }) => isNeeded));
    const isWider = excess.length > 0 && (requested === undefined || !acceptExcess);
    return [...faults, ...(isWider ? [`The plan opens flows of ${rulebase.scope} that the request does not contain.`] : [])];
  });
}

/** What assertions are judged with. */
type Judged = Pick<AccessBase, "context" | "role" | "tree" | "target">;

/**
 * Removes designs that break an assertion. In a single rulebase, designs that open exactly the request result in the same verdicts, so
 * assertions about flows are judged for the first of them only.
 */
export async function withoutBroken(
  base: Judged,
  designs: readonly Design[],
  { isSingle }: { readonly isSingle: boolean },
): Promise<{ readonly designs: readonly Design[]; readonly reasons: readonly string[] }> {
  const kept: Design[] = [];
  const reasons: string[] = [];
  let ofExact: readonly string[] | undefined;
  for (const design of designs) {
    const { proof, edits } = design;
    const isExact = isSingle && proof.excess.length === 0 && proof.stillDenied.length === 0;
    const after = withEdits(base.tree, edits);
    const ofFlows = (isExact ? ofExact : undefined) ?? (await brokenBy(base, after, isOfFlows));
    if (isExact) ofExact = ofFlows;
    const broken = [...ofFlows, ...(await brokenBy(base, after, isHouseRule))];
    if (broken.length === 0) kept.push(design);
    else reasons.push(...broken);
  }
  return { designs: kept, reasons: [...new Set(reasons)] };
}

/**
 * Returns a sentence for each assertion that a change of the configuration breaks. Assertions about complete paths are judged with the
 * plan.
 */
export async function brokenBy(
  { context, role, tree, target }: Judged,
  after: TreeNode,
  isConcerned: (assertion: Assertion) => boolean = () => true,
): Promise<readonly string[]> {
  const { desired, configuration } = context;
  const assertions = (desired.assertions ?? []).filter((assertion) => !isOfPath(assertion) && isConcerned(assertion));
  if (assertions.length === 0) return [];
  const judged = await judgeAssertions({ role, desired: { ...desired, assertions }, configuration, target }, { before: tree, after });
  return judged.filter(({ isByChange }) => isByChange).map((each) => brokenText(each));
}

function brokenText({ name, description, where, state }: JudgedAssertion): string {
  const at = where.file === undefined ? "" : ` (${where.file}:${where.line ?? 1})`;
  const text = description === undefined ? "" : `: ${description}`;
  return `It contradicts assertion ${name}${at}${text}.${state === "unknown" ? " Whether the assertion holds would not be known." : ""}`;
}

/** Describes a design for users. */
export function describe({ summary, proof, notes = [] }: Design, flows: FlowSet): AccessDesign {
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
