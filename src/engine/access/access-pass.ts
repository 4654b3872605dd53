import type { RuleDesigner } from "../../access/designer.js";
import { type Edit, forDeclared, withEdits } from "../../access/edit.js";
import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { AccessAnswer, AccessResult, AccessWords, FileEdit } from "../../outcome/access.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { afterOperations } from "../../plan/after.js";
import { treeWith } from "../../reachability/changes/whole-tree.js";
import type { FlowSet } from "../../reachability/flows/policy.js";
import { policyOptions } from "../../reachability/predefined.js";
import { deviceOf, refuseOtherDevice } from "../device-identity.js";
import type { TargetContext } from "../pass/context.js";
import { consultLedgers, loginOf, openTarget, requestFor } from "../pass/opened-target.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { type Planned, type PlanRequest, readAndPlan, recordOf } from "../pass/planner.js";
import { type OutcomeDraft, runTargets, startPass } from "../pass/run-targets.js";
import type { ReadTarget } from "../target.js";
import { type AccessBase, answerRequest, proveAfter } from "./answer-requests.js";

export interface AccessQuestion {
  readonly requests: readonly AccessWords[];
  /** Text for descriptions of rules: reason, requester and end date. */
  readonly note: string;
  readonly scope: string | undefined;
  /** Number of the design to use, from 1. Undefined: the first one that works. Only for a single request. */
  readonly choose: number | undefined;
  /** Uses a design that opens more than the request, if no other one works. */
  readonly acceptExcess: boolean;
}

export interface AccessTools {
  readonly designer: (kind: string) => Promise<RuleDesigner> | undefined;
  /** Edits the documents of a target. Returns the reason if the edit is not possible. */
  edit(context: TargetContext, edits: readonly Edit[], after: TreeNode): Promise<readonly FileEdit[] | string>;
}

/** Outcome of the target, and its result if the target was read. */
export interface AccessPass {
  readonly outcome: TargetOutcome;
  readonly context: TargetContext;
  readonly result: AccessResult | undefined;
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
  const [outcome] = await runTargets([context], readers.reader, async (target, _, draft) => {
    const reading = await read(target, context, question, tools, draft);
    const answered = await answerAll(reading.base, question);
    result = await edited({ ...reading, ...answered, options, readers, question, tools });
  });
  if (outcome === undefined) throw new Error("a target has an outcome");
  return { outcome, context, result };
}

interface Reading {
  readonly base: AccessBase;
  readonly request: PlanRequest;
  readonly planned: Planned;
  plan(context: TargetContext): Promise<{ readonly planned: Planned; readonly tree: TreeNode }>;
}

async function read(
  target: ReadTarget,
  context: TargetContext,
  { requests, scope }: AccessQuestion,
  tools: AccessTools,
  draft: OutcomeDraft,
): Promise<Reading> {
  const { policies: role, configuration, desired, name } = context;
  const designer = await tools.designer(configuration.kind);
  if (role === undefined || designer === undefined)
    throw new PlumblineError("access-not-supported", `not supported yet: access requests for targets of kind ${configuration.kind}.`, {
      where: { target: name },
      next: "Name a firewall.",
    });
  const opened = await openTarget(target, context, draft);
  const ledgers = await consultLedgers(target, context, "candidate", loginOf(context), draft);
  refuseOtherDevice(recordOf(ledgers.ledger), deviceOf(opened), name);
  const request = requestFor(ledgers, opened);
  const subtrees = [...role.subtrees(desired.root, configuration), ...(role.network?.(desired.root, configuration) ?? [])];
  const plan = async (of: TargetContext) => {
    const planned = await readAndPlan(target, opened.capabilities, of, request);
    const { subtrees: read, candidate } = planned.live;
    const live = await treeWith(subtrees, { target, subtrees: read, tree: candidate, view: "candidate", borrowed: role.borrowed });
    return { planned, tree: afterOperations(live, planned.plan.operations) };
  };
  const { planned, tree } = await plan(context);
  const { operations } = planned.plan;
  if (operations.length > 0)
    draft.warnings.push(`${name} differs from its documents: the answers are about the state after \`plumbline apply ${name}\`.`);
  const reader = await role.load();
  const applications = [...new Set(requests.map(({ application }) => application))].filter((each) => each !== "any" && each !== "");
  const options = await policyOptions(reader, [tree], applications, { target, desired, configuration });
  const base: AccessBase = { context, target, role, reader, designer, tree, declared: desired.root, options, scope };
  return { base, request, planned, plan };
}

interface AllAnswered {
  readonly answers: readonly AccessAnswer[];
  readonly edits: readonly Edit[];
  /** Flows of the designed requests by rulebase. */
  readonly flows: ReadonlyMap<string, readonly FlowSet[]>;
  /** Every request is allowed, conditional or designed as the caller wants. */
  readonly isComplete: boolean;
}

/** Answers the requests one after another. Each one sees the designs of those before it. */
async function answerAll(base: AccessBase, question: AccessQuestion): Promise<AllAnswered> {
  const answers: AccessAnswer[] = [];
  const edits: Edit[] = [];
  const flows = new Map<string, FlowSet[]>();
  let isComplete = true;
  let now = base;
  for (const words of question.requests) {
    const { answer, designs, flows: requested } = await answerRequest(now, words, question.note);
    const chosen = designs[(question.choose ?? 1) - 1];
    const isUsable = chosen !== undefined && (question.acceptExcess || chosen.proof.excess.length === 0);
    answers.push(answer);
    if (answer.state === "refused" || (answer.state === "designed" && !isUsable)) isComplete = false;
    if (chosen === undefined || !isUsable || requested === undefined || answer.scope === undefined) continue;
    edits.push(...chosen.edits);
    flows.set(answer.scope, [...(flows.get(answer.scope) ?? []), requested]);
    now = {
      ...now,
      tree: withEdits(now.tree, chosen.edits),
      declared: withEdits(now.declared, forDeclared(chosen.edits, now.tree, now.declared)),
    };
  }
  return { answers, edits, flows, isComplete };
}

interface Editing extends Reading, AllAnswered {
  readonly options: PassOptions;
  readonly readers: Readers;
  readonly question: AccessQuestion;
  readonly tools: AccessTools;
}

/** Edits the documents, plans them, and compares the plan with the requests. */
async function edited(editing: Editing): Promise<AccessResult> {
  const { base, planned, plan, answers, edits, flows, isComplete, options, readers, tools } = editing;
  const none = { answers, files: [], faults: [] };
  if (!isComplete || edits.length === 0) return none;
  const files = await tools.edit(base.context, edits, withEdits(base.tree, edits));
  if (typeof files === "string") return { ...none, faults: [`The documents cannot be edited: ${files}.`] };
  const unsaved = new Map(files.map(({ file, after }) => [file, after]));
  const [context] = await startPass({ ...options, source: { ...options.source, unsaved } }, readers);
  if (context === undefined) throw new Error("a named target has a context");
  const next = await plan(context);
  const known = new Set(planned.plan.refusals.map(({ message }) => message));
  const refusals = next.planned.plan.refusals.filter(({ message }) => !known.has(message));
  const faults = [
    ...refusals.map(({ message }) => `The plan of the edited documents is refused: ${message}`),
    ...proveAfter(base, next.tree, flows, editing.question.acceptExcess),
  ];
  return { answers, files: faults.length === 0 ? files : [], faults };
}
