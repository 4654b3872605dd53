import { type Edit, forDeclared, withEdits } from "../../access/edit.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { AccessAnswer, AccessResult } from "../../outcome/access.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { Part } from "../../reachability/questions/whole-path.js";
import type { TargetContext } from "../pass/context.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { runTargets, startPass } from "../pass/run-targets.js";
import { answerFlow, proveFlowsAfter } from "./answer-flows.js";
import { type Answered, type AnyAccessBase, answerRequest, isRuleBased, proveAfter, type TargetRequest } from "./answer-requests.js";
import { type AccessTools, partsIn, planEdits, readEditable } from "./edit-plan.js";

export interface AccessQuestion {
  readonly requests: readonly TargetRequest[];
  /** Text for descriptions of rules: reason, requester and end date. */
  readonly note: string;
  readonly scope: string | undefined;
  /** Number of the design to use, from 1. Undefined: the first one that works. Only for a single request. */
  readonly choose: number | undefined;
  /** Uses a design that opens more than the request, if no other one works. */
  readonly acceptExcess: boolean;
}

/** Outcome of the target, and its result if the target was read. */
export interface AccessPass {
  readonly outcome: TargetOutcome;
  readonly context: TargetContext;
  readonly result: AccessResult | undefined;
  /** The rules and routes after the edits, for the path of a flow. */
  partsAfter(): readonly Part[];
}

/** Answers access requests for one target and edits its documents in memory. Writes nothing. */
export async function accessPass(
  options: PassOptions,
  readers: Readers,
  question: AccessQuestion,
  tools: AccessTools,
): Promise<AccessPass> {
  const [context] = await startPass(options, readers);
  if (context === undefined) throw new Error("a named target has a context");
  let result: AccessResult | undefined;
  let partsAfter: () => readonly Part[] = () => [];
  const [outcome] = await runTargets([context], readers.reader, async (target, _, draft) => {
    const applications = [...new Set(question.requests.map(({ application }) => application))];
    const named = applications.filter((each) => each !== "any" && each !== "");
    const editable = await readEditable(target, context, { applications: named, scope: question.scope }, tools, draft);
    const { base } = editable;
    const {
      answers,
      edits,
      isComplete,
      proveAfter: proves,
    } = isRuleBased(base)
      ? await answerAll(base, question, answerRequest, proveAfter)
      : await answerAll(base, question, answerFlow, proveFlowsAfter);
    let after = base.tree;
    const prove = (tree: TreeNode) => {
      after = tree;
      return proves(tree);
    };
    const isEdited = isComplete && edits.length > 0;
    const plan = isEdited ? await planEdits(editable, edits, { options, readers, tools, prove }) : undefined;
    result = { answers, files: plan?.files ?? [], faults: plan?.faults ?? [] };
    partsAfter = () => partsIn(base, after);
  });
  if (outcome === undefined) throw new Error("a target has an outcome");
  return { outcome, context, result, partsAfter };
}

interface AllAnswered {
  readonly answers: readonly AccessAnswer[];
  readonly edits: readonly Edit[];
  /** Every request is allowed, conditional or designed as the caller wants. */
  readonly isComplete: boolean;
  /** Compares the configuration that a plan results in with the designed requests. */
  proveAfter(planned: TreeNode): readonly string[];
}

/** Answers the requests one after another. Each one sees the designs of those before it. */
async function answerAll<Base extends AnyAccessBase, Requested>(
  base: Base,
  question: AccessQuestion,
  answerOne: (base: Base, words: TargetRequest, note: string) => Promise<Answered<Requested>>,
  proveAll: (base: Base, planned: TreeNode, requested: readonly Requested[], acceptExcess: boolean) => readonly string[],
): Promise<AllAnswered> {
  const answers: AccessAnswer[] = [];
  const edits: Edit[] = [];
  const requested: Requested[] = [];
  let isComplete = true;
  let now = base;
  for (const words of question.requests) {
    const { answer, designs, requested: own } = await answerOne(now, words, question.note);
    const chosen = designs[(question.choose ?? 1) - 1];
    const isUsable = chosen !== undefined && (question.acceptExcess || chosen.proof.excess.length === 0);
    answers.push(answer);
    if (answer.state === "refused" || (answer.state === "designed" && !isUsable)) isComplete = false;
    if (chosen === undefined || !isUsable) continue;
    edits.push(...chosen.edits);
    requested.push(...own);
    now = {
      ...now,
      tree: withEdits(now.tree, chosen.edits),
      declared: withEdits(now.declared, forDeclared(chosen.edits, now.tree, now.declared)),
    };
  }
  return { answers, edits, isComplete, proveAfter: (planned) => proveAll(base, planned, requested, question.acceptExcess) };
}
