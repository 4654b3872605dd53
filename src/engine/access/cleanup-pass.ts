import type { RuleDesigner } from "../../access/designer.js";
import type { Edit } from "../../access/edit.js";
import { withEdits } from "../../access/edit.js";
import type { FlowDesigner } from "../../access/flow-designer.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { CleanupResult, RulebaseCleanup } from "../../outcome/cleanup.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { TargetContext } from "../pass/context.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { runTargets, startPass } from "../pass/run-targets.js";
import { type AccessBase, isRuleBased } from "./answer-requests.js";
import { cleanUpEnds } from "./clean-up-ends.js";
import { type CleanupQuestion, cleanUpRules } from "./clean-up-rulebase.js";
import { type AccessTools, differences, planEdits, REMOVAL_GUARDS, readEditable } from "./edit-plan.js";

/** Outcome of a target, and its result if the target was read. */
export interface CleanupPass {
  readonly outcome: TargetOutcome;
  readonly context: TargetContext;
  readonly result: CleanupResult | undefined;
}

const NO_EDIT = { files: [], faults: [], atApply: [] };

/** Finds rules of targets that can be removed, and edits the documents in memory. Writes nothing. */
export async function cleanupPass(
  options: PassOptions,
  readers: Readers,
  question: CleanupQuestion,
  tools: AccessTools,
): Promise<readonly CleanupPass[]> {
  const contexts = await startPass(options, readers);
  const isNamed = options.selection.targets.length > 0;
  const kinds = new Set(contexts.map(({ configuration }) => configuration.kind));
  const supported = new Set<string>();
  for (const kind of kinds) if (canCleanUp(await tools.designer(kind))) supported.add(kind);
  const concerned = contexts.filter(({ configuration }) => isNamed || supported.has(configuration.kind));
  return await cleanUpTargets(concerned, options, readers, question, tools);
}

/** Returns whether rules of a kind can be removed by `lint --fix`. */
export function canCleanUp(designer: RuleDesigner | FlowDesigner | undefined): boolean {
  return designer?.style === "rules" || designer?.endings !== undefined;
}

/** Finds rules of the targets of contexts that can be removed, and edits the documents in memory. Writes nothing. */
export async function cleanUpTargets(
  concerned: readonly TargetContext[],
  options: PassOptions,
  readers: Readers,
  question: CleanupQuestion,
  tools: AccessTools,
): Promise<readonly CleanupPass[]> {
  const results = new Map<string, CleanupResult>();
  const outcomes = await runTargets(concerned, readers.reader, async (target, context, draft) => {
    const editable = await readEditable(target, context, { applications: [], scope: question.scope }, tools, draft);
    const { base } = editable;
    const { rulebases, edits } = isRuleBased(base) ? await cleanUpAll(base, question) : await cleanUpEnds(base, question);
    const after = withEdits(base.tree, edits);
    const prove = (planned: TreeNode) => differences(base, after, planned);
    const isEdited = edits.length > 0;
    const plan = isEdited ? await planEdits(editable, edits, { options, readers, tools, prove, atApply: REMOVAL_GUARDS }) : NO_EDIT;
    results.set(context.name, { rulebases, ...plan });
  });
  return concerned.map((context, at) => {
    const outcome = outcomes[at];
    if (outcome === undefined) throw new Error("a target has an outcome");
    return { context, outcome, result: results.get(context.name) };
  });
}

/**
 * Cleans up the rules of each firewall or device group. Each one starts from the result of the one before.
 * @internal Exported for tests on managers.
 */
export async function cleanUpAll(
  base: AccessBase,
  question: CleanupQuestion,
): Promise<{ readonly rulebases: readonly RulebaseCleanup[]; readonly edits: readonly Edit[] }> {
  const reports: RulebaseCleanup[] = [];
  const edits: Edit[] = [];
  let { tree } = base;
  let rulebases = base.reader.rulebases([tree], base.options);
  const scopes = [...new Set(rulebases.flatMap(({ within }) => within))];
  for (const scope of scopes.filter((each) => question.scope === undefined || each === question.scope)) {
    const here = rulebases.filter(({ within, failure }) => within.includes(scope) || failure !== undefined);
    const cleaned = await cleanUpRules({ ...base, tree }, { scope, rulebases: here }, question);
    reports.push(cleaned.report);
    if (cleaned.edits.length === 0) continue;
    edits.push(...cleaned.edits);
    tree = withEdits(base.tree, edits);
    rulebases = base.reader.rulebases([tree], base.options);
  }
  return { rulebases: reports, edits };
}
