import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { DesiredNode, DesiredTarget } from "../../desired/model.js";
import { allowancesOf } from "../../guards/allow.js";
import { refusalsOf } from "../../guards/guard.js";
import { GUARDS, planGuards } from "../../guards/registry.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import type { Sides as BothSides } from "../../outcome/levels.js";
import type { Finding } from "../../plan/diff/change.js";
import { makePlan } from "../../plan/make-plan.js";
import type { Plan, PlanInput, Refusal } from "../../plan/model.js";
import type { Capabilities, PendingChange } from "../../plan/platform.js";
import { operationsDigest } from "../apply/operations-digest.js";
import { descends, isShallow } from "../checkout/checkout.js";
import { refuseNewMasterKey } from "../ledger/fingerprints.js";
import type { LedgerRecord, LedgerState } from "../ledger/ledger.js";
import { type Live, readCommitted, readLive, readRunning, subtreesOf } from "../live.js";
import type { Known, ReadTarget } from "../target.js";
import type { RefusedCommit } from "../watch/open-watch.js";
import { checksDigest, isStillDeclared, touchesState } from "../watch/refused-state.js";
import { compareCandidateAndRunning } from "./candidate-vs-running.js";
import { confirmMissing, confirmMissingByIds } from "./confirm-missing.js";
import { type TargetContext, today } from "./context.js";
import { remainingDuplicates, withUnfinishedCreates } from "./duplicate-creates.js";
import { type PlanAndInputs, readEverything, unlistedChanges } from "./foreign-pending.js";
import { withLateCreates } from "./late-creates.js";
import { addressesOf, withManagementPath } from "./management-path.js";
import { formerValuesIn } from "./newer-values.js";
import { assertedBy } from "./plan-assertions.js";
import { secretLeaves } from "./secret-leaves.js";
import { countTarget } from "./targets-per-run.js";
import { unconfirmedRows } from "./unconfirmed-rows.js";
import { unknownNamesIn } from "./unknown-names.js";
import { asRemaining, unmarkedCreates } from "./unmarked-creates.js";
import { type BeforePush, readBeforePush, withReach } from "./unpushed.js";

/** A plan and its inputs. */
export interface Planned {
  readonly plan: Plan;
  readonly live: Live;
  readonly ledger: LedgerState;
  /** Results of `assert:`, before and after the plan. Undefined without assertions, and for drift. */
  readonly asserted?: readonly JudgedAssertion[] | undefined;
  /** For a plan that is pushed: the state of the firewalls at the time of the plan. */
  readonly beforePush?: BeforePush | undefined;
  /** For a manager: differences of candidate and running to the desired state. */
  readonly sides?: BothSides | undefined;
}

export interface PlanRequest {
  /** `running` is drift: pending changes are shown and cause no refusal. */
  readonly against: "candidate" | "running";
  readonly ledger: LedgerState;
  readonly foreignLedgers: ReadonlyMap<string, string>;
  /** One name of the device that answers. The digest of the plan contains it. */
  readonly device: string | undefined;
  /** Why the ledger, which belongs to another device, is not used. */
  readonly otherDevice?: string | undefined;
  /** Account of this run, if known. */
  readonly administrator: string | undefined;
  /** XPaths of secrets that this run wrote. Their stored values are known to be equal. */
  readonly writtenSecrets?: ReadonlySet<string> | undefined;
  /** Pending changes, if they were read just before. */
  readonly listed?: readonly PendingChange[] | undefined;
  /** Set after a commit of this run: the running configuration is read first. */
  readonly isCommitted?: boolean | undefined;
}

/**
 * Reads the subtrees that the desired state needs, and plans. If entries are deleted or renamed, it reads the complete live tree and
 * plans again, because any part of the tree could refer to them.
 */
export async function readAndPlan(
  target: ReadTarget,
  capabilities: Capabilities,
  context: TargetContext,
  request: PlanRequest,
): Promise<Planned> {
  const { desired, options } = context;
  const record = recordOf(request.ledger);
  const rows = (record?.paths ?? []).map((row) => parsePath(row));
  const late = Object.keys(record?.unanswered ?? {}).map((path) => parsePath(path));
  const subtrees = subtreesOf(desired, [...rows, ...late], options.selection.only);
  const read = request.against === "running" ? readRunning : request.isCommitted === true ? readCommitted : readLive;
  target.ids?.prefer?.(knownBy(record, context.owner));
  const live = await read(target, capabilities, subtrees, request.listed);
  await confirmMissing(target, live, record, rows, options.overrides.allow);
  const first = await planFrom(live, target, capabilities, context, request);
  const reach = reachedBy(subtrees, record, context);
  const both = await compareCandidateAndRunning(target, capabilities, context, request.against, first);
  if (request.against === "running") return { plan: first.plan, live: { ...live, reach }, ledger: request.ledger, sides: both };
  const sides = takesNamesAway(first.plan, capabilities)
    ? await planFrom(await readEverything(target, capabilities, context), target, capabilities, context, request)
    : await withManagementPath(first, (live) => planFrom(live, target, capabilities, context, request), { target, capabilities, context });
  const unlisted = await unlistedChanges(target, capabilities, context, sides);
  const complete = { ...sides.live, reach };
  const { findings, ...unknownNames } = await unknownNamesIn(target, capabilities, context, sides);
  const named = findings.length === 0 ? sides.plan : { ...sides.plan, findings: [...sides.plan.findings, ...findings] };
  const made = await withQuota(named, desired.root, target);
  const accounts = [...(request.administrator === undefined ? [] : [request.administrator]), ...context.settings.administrators];
  const asserted = await assertedBy({ target, context, plan: made, live: complete, accounts });
  const { uses } = target;
  const usersOf = uses && ((entry: Path) => uses.usersOf(entry));
  const facts = { desired, allow: allowancesOf(options.overrides.allow), plan: made, asserted, unlisted, usersOf, unknownNames };
  const plan = refusedBy(made, refusalsOf(GUARDS.live, facts));
  const isPushed = context.configuration.push !== undefined && (plan.operations.length > 0 || plan.commitOnly);
  const beforePush = isPushed ? await readBeforePush(target, complete, context, accounts) : undefined;
  const reaching =
    beforePush === undefined
      ? plan
      : await withReach(target, plan, beforePush, context, request.administrator === undefined ? [] : accounts);
  return { plan: reaching, live: complete, ledger: request.ledger, asserted, beforePush, sides: both };
}

/** Returns the paths of documents and ledger, and the deletions that are not pushed yet. */
function reachedBy(
  subtrees: readonly Path[],
  record: LedgerRecord | undefined,
  { configuration, options }: TargetContext,
): readonly Path[] {
  const late = configuration.push === undefined || options.selection.only !== undefined ? [] : (record?.undelivered ?? []);
  return [...subtrees, ...late.map((place) => parsePath(place))];
}

function knownBy(record: ReturnType<typeof recordOf>, owner: string): Known {
  const rows = record?.rows ?? {};
  const announced = (record?.announced ?? []).filter((path) => rows[path]?.id === undefined);
  return { owner, ids: new Set(Object.values(rows).flatMap(({ id }) => id ?? [])), announced: new Set(announced) };
}

function takesNamesAway(plan: Plan, { independentObjects }: Capabilities): boolean {
  return plan.operations.some(
    ({ operation: { action, at } }) =>
      action === "rename" || (at.name !== undefined && (action === "delete" || (action === "edit" && independentObjects === true))),
  );
}

async function planFrom(
  live: Live,
  target: ReadTarget,
  capabilities: Capabilities,
  context: TargetContext,
  request: PlanRequest,
): Promise<PlanAndInputs> {
  const {
    options,
    records: { fingerprints },
  } = context;
  const record = recordOf(request.ledger);
  refuseNewMasterKey(fingerprints, record, secretLeaves(live.candidate, record), options.overrides.allow.has("master-key"));
  const doubts = [...live.doubts, ...(await confirmMissingByIds(target, live, record, options.overrides.allow))];
  const unchecked = await inputOf({ ...live, doubts }, target, capabilities, context, request);
  const first = makePlan(unchecked, planGuards);
  const unconfirmed = await unconfirmedRows(first, unchecked, record, context);
  const input = unconfirmed.size === 0 ? unchecked : withUnconfirmed(unchecked, unconfirmed);
  const made = unconfirmed.size === 0 ? first : makePlan(input, planGuards);
  const left = remainingDuplicates(live.candidate, input.ledger, { context, capabilities, ids: target.ids });
  const unmarked = unmarkedCreates(record, {
    live: live.candidate,
    shape: target.shape,
    desired: context.desired,
    only: options.selection.only,
  });
  const plan = withRemaining(made, left, asRemaining(unmarked));
  const writes = plan.operations.length > 0 || plan.commitOnly;
  const more = refusalsOf(GUARDS.run, {
    target: context.name,
    desired: context.desired,
    allow: allowancesOf(options.overrides.allow),
    plan,
    writes,
    otherDevice: request.otherDevice,
    verdicts: context.verdicts ?? [],
    rolledBack: rolledBackIn(record, context, plan, target.shape),
    blockedBy: context.dependencies.blockedBy ?? [],
    differing: context.checkout.differing,
    targetsOfRun: countTarget(context, writes),
    formerValues: await formerValuesIn(plan, input, record, context),
  });
  const onRunning = (running: TreeNode): Plan => makePlan({ ...input, candidate: running, running, pending: [] }, planGuards);
  return { plan: refusedBy(plan, more), live, record, onRunning, written: request.writtenSecrets ?? new Set() };
}

function withRemaining(plan: Plan, duplicates: readonly Finding[], { remaining, findings }: ReturnType<typeof asRemaining>): Plan {
  if (duplicates.length === 0 && findings.length === 0) return plan;
  const places = new Set(findings.map(({ path }) => path.toString()));
  // The ledger may list the object, too.
  const others = plan.findings.filter(({ kind, path }) => kind !== "not-ours" || !places.has(path.toString()));
  return { ...plan, remaining: [...plan.remaining, ...remaining], findings: [...others, ...duplicates, ...findings] };
}

function withUnconfirmed(input: PlanInput, unconfirmed: ReadonlyMap<string, string>): PlanInput {
  const { ledger } = input;
  return ledger.state === "present" ? { ...input, ledger: { ...ledger, record: { ...ledger.record, unconfirmed } } } : input;
}

/** Adds a finding for each quota that the plan would exceed, before anything is sent. The rest of the plan is applied. */
async function withQuota(plan: Plan, desired: DesiredNode, { room }: ReadTarget): Promise<Plan> {
  if (room === undefined || plan.operations.length === 0) return plan;
  const shortages = await room.shortOf(plan.changes);
  const findings = shortages.map(({ path, message }) => {
    const origin = (find(desired, path) as DesiredNode | undefined)?.origin ?? -1;
    return { kind: "no-room" as const, path, message, origin, refuses: false };
  });
  return findings.length === 0 ? plan : { ...plan, findings: [...plan.findings, ...findings] };
}

/**
 * Returns the change that checks rolled back, if the plan would apply it again. A later commit that does not touch these places does not
 * retry the change.
 */
function rolledBackIn(record: LedgerRecord | undefined, context: TargetContext, plan: Plan, shape: Shape): RefusedCommit | undefined {
  const refused = record?.refused;
  return refused === undefined || plan.operations.length === 0 || !isRolledBack(refused, context, plan, shape) ? undefined : refused;
}

function isRolledBack(refused: RefusedCommit, { checkout, desired }: TargetContext, plan: Plan, shape: Shape): boolean {
  const { wish } = refused;
  const byCommit = refused.commit !== undefined && !checkout.dirty;
  const isCommit = byCommit && refused.commit === checkout.commit;
  // Recorded by an earlier version, or a change of order only.
  if (wish === undefined || Object.keys(wish).length === 0) return byCommit ? isCommit : refused.operations === operationsDigest(plan);
  const isJudgedAlike = refused.checks === checksDigest(desired.checks);
  return touchesState(wish, plan.changes) && (isCommit || (isJudgedAlike && isStillDeclared(wish, desired.root, shape)));
}

/** Adds refusals to a plan. */
export function refusedBy(plan: Plan, more: readonly Refusal[]): Plan {
  return more.length === 0 ? plan : { ...plan, refusals: [...more, ...plan.refusals] };
}

async function inputOf(
  live: Live,
  target: ReadTarget,
  capabilities: Capabilities,
  context: TargetContext,
  request: PlanRequest,
): Promise<PlanInput> {
  const {
    configuration,
    options,
    records: { fingerprints },
  } = context;
  const record = recordOf(request.ledger);
  const day = today(context);
  return {
    desired: request.against === "running" ? withoutExpired(context.desired, day) : context.desired,
    owner: context.owner,
    device: request.device,
    awaitsDependencies: context.dependencies.awaitsDependencies,
    candidate: live.candidate,
    running: live.running,
    shape: target.shape,
    capabilities,
    ledger:
      capabilities.independentObjects === true
        ? withUnfinishedCreates(request.ledger, live.candidate, { context, capabilities, ids: target.ids, shape: target.shape })
        : withLateCreates(request.ledger, live.candidate, { context, shape: target.shape, administrator: request.administrator }),
    otherLedgers: request.foreignLedgers,
    guards: context.settings.guards,
    kindGuards: context.kindGuards,
    allow: options.overrides.allow,
    allowEmptyLive: options.overrides.allowEmptyLive,
    doubts: live.doubts,
    idOf: (path) => target.ids?.idOf(path),
    showsUnseen: request.against === "running",
    rewriteLists: configuration.rewriteLists,
    approve: configuration.approve,
    foreignChanges: configuration.foreignChanges ?? "refuse",
    pending: request.against === "running" ? [] : live.pending,
    reachedAt: addressesOf(configuration),
    administrator: request.administrator,
    administrators: context.settings.administrators,
    descends: options.overrides.allowNonDescendant ? true : await descendsFrom(record, context),
    deletedToday: record?.deletes?.day === day ? record.deletes.count : 0,
    today: day,
    rotateSecrets: options.overrides.rotateSecrets,
    secretState: (path, desired, leaf) =>
      request.writtenSecrets?.has(path.toString()) === true ? "equal" : fingerprints.state(record, path, desired, leaf),
    only: options.selection.only,
  };
}

/** Removes expired ignores, so that drift shows the differences that they hid. A plan refuses them instead. */
function withoutExpired(desired: DesiredTarget, day: string): DesiredTarget {
  return { ...desired, ignores: desired.ignores.filter(({ until }) => until === undefined || until >= day) };
}

async function descendsFrom(record: LedgerRecord | undefined, { checkout }: TargetContext): Promise<boolean | "cut" | undefined> {
  if (record?.commit === undefined || checkout.commit === undefined) return undefined;
  // Usually it is the parent commit, which needs no call of git.
  if (checkout.parents.includes(record.commit)) return true;
  if (await descends(checkout.folder, record.commit, checkout.commit)) return true;
  return (await isShallow(checkout.folder)) ? "cut" : false;
}

/** Returns the record, or the last known one if the ledger cannot be read now. */
export function recordOf(ledger: LedgerState): LedgerRecord | undefined {
  if (ledger.state === "missing") return undefined;
  return ledger.state === "present" ? ledger.record : ledger.lastKnown;
}

/** Returns whether a refusal blocks the complete plan, not only a subtree. */
export function stopsTarget({ stops }: Refusal): boolean {
  return stops === undefined;
}
