import type { Edit } from "../../access/edit.js";
import { withEdits } from "../../access/edit.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { CleanupResult, RulebaseCleanup } from "../../outcome/cleanup.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { TargetContext } from "../pass/context.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { runTargets, startPass } from "../pass/run-targets.js";
import type { AccessBase } from "./answer-requests.js";
import { type CleanupQuestion, cleanUpRulebase } from "./clean-up-rulebase.js";
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
  const concerned = contexts.filter(({ configuration }) => isNamed || tools.designer(configuration.kind) !== undefined);
  return await cleanUpTargets(concerned, options, readers, question, tools);
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
    const { rulebases, edits } = await cleanUpAll(editable.base, question);
    const after = withEdits(editable.base.tree, edits);
    const prove = (planned: TreeNode) => differences(editable.base, after, planned);
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

async function cleanUpAll(
  base: AccessBase,
  question: CleanupQuestion,
): Promise<{ readonly rulebases: readonly RulebaseCleanup[]; readonly edits: readonly Edit[] }> {
  const rulebases: RulebaseCleanup[] = [];
  const edits: Edit[] = [];
  const all = base.reader.rulebases([base.tree], base.options);
  for (const rulebase of all.filter(({ within }) => question.scope === undefined || within.includes(question.scope))) {
    const cleaned = await cleanUpRulebase({ ...base, tree: withEdits(base.tree, edits) }, rulebase, question);
    rulebases.push(cleaned.report);
    edits.push(...cleaned.edits);
  }
  return { rulebases, edits };
}
