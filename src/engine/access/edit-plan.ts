import type { RuleDesigner } from "../../access/designer.js";
import { type Edit, withEdits } from "../../access/edit.js";
import type { FlowDesigner } from "../../access/flow-designer.js";
import { changesNothing } from "../../access/proof.js";
import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { FileEdit } from "../../outcome/access.js";
import { afterOperations } from "../../plan/after.js";
import { treeWith } from "../../reachability/changes/whole-tree.js";
import { policyOptions } from "../../reachability/predefined.js";
import { type Part, partOf } from "../../reachability/questions/whole-path.js";
import { deviceOf, refuseOtherDevice } from "../device-identity.js";
import type { TargetContext } from "../pass/context.js";
import { consultLedgers, loginOf, openTarget, requestFor } from "../pass/opened-target.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { type Planned, type PlanRequest, readAndPlan, recordOf } from "../pass/planner.js";
import { type OutcomeDraft, startPass } from "../pass/run-targets.js";
import type { ReadTarget } from "../target.js";
import type { AccessBase, AnyAccessBase } from "./answer-requests.js";

export interface AccessTools {
  readonly designer: (kind: string) => Promise<RuleDesigner | FlowDesigner> | undefined;
  /** Edits the documents of a target. Returns the reason if the edit is not possible. */
  edit(context: TargetContext, edits: readonly Edit[], after: TreeNode): Promise<readonly FileEdit[] | string>;
}

/** A target that was read and planned, and whose documents can be edited. */
export interface EditableTarget {
  readonly base: AnyAccessBase;
  readonly request: PlanRequest;
  readonly planned: Planned;
  plan(context: TargetContext): Promise<{ readonly planned: Planned; readonly tree: TreeNode }>;
}

/** Reads and plans a target. Throws `access-not-supported` for kinds whose rules cannot be edited. */
export async function readEditable(
  target: ReadTarget,
  context: TargetContext,
  { applications, scope }: { readonly applications: readonly string[]; readonly scope: string | undefined },
  tools: AccessTools,
  draft: OutcomeDraft,
): Promise<EditableTarget> {
  const { policies: role, configuration, desired, name } = context;
  const designer = await tools.designer(configuration.kind);
  if (role === undefined || designer === undefined) throw notSupported("access requests", name, configuration.kind);
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
  const options = await policyOptions(reader, [tree], applications, { target, desired, configuration });
  const known = { context, target, role, reader, tree, declared: desired.root, options, scope };
  const base = designer.style === "rules" ? { ...known, designer } : { ...known, designer };
  return { base, request, planned, plan };
}

/** Returns the error for a kind of target without a command. */
export function notSupported(what: string, target: string, kind: string): PlumblineError {
  return new PlumblineError("access-not-supported", `not supported yet: ${what} for targets of kind ${kind}.`, {
    where: { target },
    next: "Name another target.",
  });
}

interface Editing {
  readonly options: PassOptions;
  readonly readers: Readers;
  readonly tools: AccessTools;
  /** Checks the configuration that the plan of the edited documents results in. Returns the reasons why the edit cannot be used. */
  prove(tree: TreeNode): readonly string[];
  /** Guards whose refusals do not prevent the edit, because a person overrides them when the edit is applied. */
  readonly atApply?: ReadonlySet<string>;
}

/** Guards that a removal can trip. */
export const REMOVAL_GUARDS: ReadonlySet<string> = new Set(
  "dirty deletes updates deletes-per-day first-contact non-descendant meaning not-as-left targets window unpushed".split(" "),
);

interface EditPlan {
  readonly files: readonly FileEdit[];
  /** Why the edit cannot be used. */
  readonly faults: readonly string[];
  /** Refusals that `plumbline apply` will repeat. */
  readonly atApply: readonly string[];
}

/** Edits the documents of a target in memory and plans them. Returns no file if the edit cannot be used, and the reasons. */
export async function planEdits(
  { base, planned, plan }: EditableTarget,
  edits: readonly Edit[],
  { options, readers, tools, prove, atApply = new Set() }: Editing,
): Promise<EditPlan> {
  const files = await tools.edit(base.context, edits, withEdits(base.tree, edits));
  if (typeof files === "string") return { files: [], faults: [`The documents cannot be edited: ${files}.`], atApply: [] };
  const unsaved = new Map(files.map(({ file, after }) => [file, after]));
  const selection = { ...options.selection, targets: [base.context.name] };
  const [context] = await startPass({ ...options, selection, source: { ...options.source, unsaved } }, readers);
  if (context === undefined) throw new Error("a named target has a context");
  const next = await plan(context);
  const known = new Set(planned.plan.refusals.map(({ message }) => message));
  const refusals = next.planned.plan.refusals.filter(({ message }) => !known.has(message));
  const later = refusals.filter(({ guard }) => atApply.has(guard));
  const faults = [
    ...refusals.filter((each) => !later.includes(each)).map(({ message }) => `The plan of the edited documents is refused: ${message}`),
    ...prove(next.tree),
  ];
  return { files: faults.length === 0 ? files : [], faults, atApply: later.map(({ message }) => message) };
}

/** Compares the configuration that a plan results in with the intended one. Returns the reasons why they differ. */
export function differences({ reader, options }: Pick<AccessBase, "reader" | "options">, intended: TreeNode, planned: TreeNode): string[] {
  return reader.rulebases([intended, planned], options).flatMap((rulebase) => {
    if (rulebase.isSame) return [];
    const [one, other] = rulebase.policies();
    if (one === undefined || other === undefined) return one === other ? [] : [`The plan changes whether ${rulebase.scope} exists.`];
    return changesNothing(one, other) ? [] : [`The plan of the edited documents has another effect on ${rulebase.scope} than the edit.`];
  });
}

/** Returns the parts of the network that a configuration forwards flows in. */
export function partsIn({ context, reader, options }: Pick<AccessBase, "context" | "reader" | "options">, tree: TreeNode): Part[] {
  return reader.rulebases([tree], options).flatMap((rulebase) => partOf(context.name, rulebase, 0) ?? []);
}
