import { type Edit, withEdits } from "../../access/edit.js";
import type { EndingRule, FlowDesigner } from "../../access/flow-designer.js";
import type { CleanupStep, RulebaseCleanup } from "../../outcome/cleanup.js";
import { type AccessBase, brokenBy } from "./answer-requests.js";
import { type CleanupQuestion, effectWords, endKind, isNear, NO_EFFECT } from "./clean-up-rulebase.js";
import { notSupported } from "./edit-plan.js";

/** Finds rules, groups and policies of a cloud or controller after their last day, with the edits that remove them. */
export async function cleanUpEnds(
  base: AccessBase<FlowDesigner>,
  question: CleanupQuestion,
): Promise<{ readonly rulebases: readonly RulebaseCleanup[]; readonly edits: readonly Edit[] }> {
  const { context, designer, tree, declared, reader, options } = base;
  if (designer.endings === undefined) throw notSupported("lint --fix", context.name, context.configuration.kind);
  const [{ scope } = { scope: "" }] = reader.rulebases([tree], options);
  const ended = designer.endings({ scope, tree, declared }).filter(({ until }) => isNear(until, question));
  const steps: CleanupStep[] = [];
  const kept: RulebaseCleanup["kept"][number][] = [];
  const edits: Edit[] = [];
  for (const { path } of ended) {
    // An earlier edit may have removed it, or other members of a list.
    const now = designer.endings({ scope, tree: withEdits(tree, edits), declared });
    const ending = now.find((each) => each.path.equals(path));
    if (ending === undefined) continue;
    const removal = question.disable ? "its rules cannot be disabled" : await removalOf(base, edits, ending);
    const kind = endKind(ending.until, question);
    if (typeof removal === "string") kept.push({ rule: ending.name, kind, reason: removal });
    else {
      edits.push(...removal);
      const where = options.locate?.(path) ?? { xpath: path.toString() };
      steps.push({ action: "remove", kind, rule: ending.name, where, by: [], until: ending.until });
    }
  }
  const notes =
    question.onlyEndsWithin === undefined
      ? [`not supported yet: rules of ${context.name} without effect. Only ended rules are removed.`]
      : [];
  if (question.unused !== undefined) notes.push(`The use of the rules is unknown: ${context.name} has no counters for them.`);
  const policies = (versions: readonly (typeof tree)[], at: number) =>
    reader.rulebases(versions, options).flatMap((rulebase) => rulebase.policies()[at] ?? []);
  const both = [tree, withEdits(tree, edits)];
  const effect = edits.length === 0 ? NO_EFFECT : effectWords(policies(both, 0), policies(both, 1), notes);
  return { rulebases: [{ scope, steps, kept, effect, notes }], edits };
}

/** Returns the edits that remove a rule, or the reason why it stays: documents cannot remove it, or an assertion would break. */
async function removalOf(
  base: AccessBase<FlowDesigner>,
  before: readonly Edit[],
  { edits }: EndingRule,
): Promise<readonly Edit[] | string> {
  if (typeof edits === "string") return edits;
  const [broken] = await brokenBy(base, withEdits(base.tree, [...before, ...edits]));
  return broken ?? edits;
}
