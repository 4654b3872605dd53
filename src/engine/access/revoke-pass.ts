import { withEdits } from "../../access/edit.js";
import { type Revocation, revocationsFor } from "../../access/revoke.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { AccessWords } from "../../outcome/access.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { RevokeResult } from "../../outcome/revoke.js";
import { meeting } from "../../reachability/flows/may-match.js";
import { AmbiguousNames } from "../../reachability/format/ambiguous-names.js";
import { AddressNames } from "../../reachability/format/format-addresses.js";
import { pairedFlows } from "../../reachability/format/format-flow.js";
import { reachIn } from "../../reachability/questions/format-reach.js";
import type { Part } from "../../reachability/questions/whole-path.js";
import type { TargetContext } from "../pass/context.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { runTargets, startPass } from "../pass/run-targets.js";
import { revokeFlow } from "./answer-flows.js";
import { type AccessBase, brokenBy, isRuleBased, managerOf, onManager } from "./answer-requests.js";
import { type AccessTools, differences, partsIn, planEdits, REMOVAL_GUARDS, readEditable } from "./edit-plan.js";
import { AccessRefused } from "./endpoints.js";
import { firewallNotes, othersOf, policiesAfter, siteOf } from "./request-site.js";

export interface RevokeWish {
  readonly request: AccessWords;
  /** Text for the description of a new rule. */
  readonly note: string;
  readonly scope: string | undefined;
  /** Number of the design to use, from 1. */
  readonly choose: number;
  /** Uses a design that closes more than the request. */
  readonly acceptExcess: boolean;
}

/** Outcome of the target, and its result if the target was read. */
export interface RevokePass {
  readonly outcome: TargetOutcome;
  readonly context: TargetContext;
  readonly result: RevokeResult | undefined;
  /** The rules and routes after the edits, for the path of a flow. */
  partsAfter(): readonly Part[];
}

/** Finds the narrowest edits that close the flows of a request, and edits the documents in memory. Writes nothing. */
export async function revokePass(options: PassOptions, readers: Readers, wish: RevokeWish, tools: AccessTools): Promise<RevokePass> {
  const [context] = await startPass(options, readers);
  if (context === undefined) throw new Error("a named target has a context");
  const { application } = wish.request;
  let result: RevokeResult | undefined;
  let partsAfter: () => readonly Part[] = () => [];
  const [outcome] = await runTargets([context], readers.reader, async (target, _, draft) => {
    const applications = application === "any" ? [] : [application];
    const editable = await readEditable(target, context, { applications, scope: wish.scope }, tools, draft);
    const { base } = editable;
    const { answer, designs } = isRuleBased(base) ? await answerRevoke(base, wish) : await revokeFlow(base, wish.request);
    const chosen = designs[wish.choose - 1];
    const isUsable = chosen !== undefined && (wish.acceptExcess || chosen.excess.length === 0);
    if (!isUsable) {
      partsAfter = () => partsIn(base, base.tree);
      result = { ...answer, files: [], faults: [], atApply: [] };
      return;
    }
    const intended = withEdits(base.tree, chosen.edits);
    partsAfter = () => partsIn(base, intended);
    const prove = (planned: TreeNode) => differences(base, intended, planned);
    result = { ...answer, ...(await planEdits(editable, chosen.edits, { options, readers, tools, prove, atApply: REMOVAL_GUARDS })) };
  });
  if (outcome === undefined) throw new Error("a target has an outcome");
  return { outcome, context, result, partsAfter };
}

/** Answer to a request, without the edit of documents. */
type RevokeAnswer = Omit<RevokeResult, "files" | "faults" | "atApply">;

/**
 * Finds the rules that allow the flows of a request, and the edits that close them.
 * @internal Exported for tests on managers.
 */
export async function answerRevoke(
  base: AccessBase,
  { request: words, note }: Pick<RevokeWish, "request" | "note">,
): Promise<{ readonly answer: RevokeAnswer; readonly designs: readonly Revocation[] }> {
  const refused = (reasons: readonly string[], known: Partial<RevokeAnswer> = {}) => {
    const empty = { request: words, scope: undefined, now: undefined, designs: [], notes: [] };
    return { answer: { ...empty, ...known, state: "refused" as const, reasons }, designs: [] };
  };
  try {
    const site = siteOf(base, words, note, { isRevoked: true });
    const { scope, first } = site;
    const { policy, resolved } = first;
    const { request, flows } = resolved;
    const resolvedWords: AccessWords = { ...words, fromZone: request.from.zone, toZone: request.to.zone };
    const known = {
      request: resolvedWords,
      scope,
      now: reachIn(meeting(policy, [flows]), flows),
      notes: [...resolved.notes, ...firewallNotes(site)],
    };
    const place = { scope, tree: base.tree, declared: base.declared, conventions: base.context.settings.design };
    const found = revocationsFor({
      place,
      request,
      flows,
      policy,
      designer: base.designer,
      others: othersOf(site),
      after: (edits) => policiesAfter(base, site, edits),
      placeAfter: (edits) => ({ ...place, tree: withEdits(base.tree, edits) }),
    });
    if (found.state === "empty") return refused(["The request selects no flow."], known);
    if (found.state === "undecided") return refused(["The rules are too complex for an exact answer."], known);
    if (found.state === "denied") return { answer: { ...known, state: "denied", designs: [], reasons: [] }, designs: [] };
    const designs: Revocation[] = [];
    const broken: string[] = [];
    for (const design of found.designs) {
      const [reason] = await brokenBy(base, withEdits(base.tree, design.edits));
      if (reason === undefined) designs.push(design);
      else broken.push(reason);
    }
    if (designs.length === 0) {
      const next = found.allowing.flatMap(({ key }) => managerOf(base, scope, key) ?? []).map((each) => onManager("revoke", each));
      return refused([...new Set([...broken, ...found.reasons, ...next])], known);
    }
    const names = new AddressNames(policy.rules, new AmbiguousNames(policy.rules));
    const described = designs.map(({ steps, excess, model }) => ({ steps, excess: pairedFlows(excess, model, names) }));
    return { answer: { ...known, state: "designed", designs: described, reasons: [] }, designs };
  } catch (error) {
    if (error instanceof AccessRefused) return refused([error.message]);
    throw error;
  }
}
