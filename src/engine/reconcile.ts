import type { TreeNode } from "../core/tree/node.js";
import { ANY_COMMAND } from "../desired/commands.js";
import { allowancesOf } from "../guards/allow.js";
import { refuseAsserted } from "../guards/assertion.js";
import type { Insight } from "../outcome/insight.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { Traffic } from "../outcome/traffic.js";
import type { Plan } from "../plan/model.js";
import { insightOf } from "../reachability/changes/insight.js";
import { outdatedApplications } from "../reachability/predefined.js";
import { applyPlan, finishOpenWatch } from "./apply/apply-plan.js";
import type { ApplySession, LedgerSession } from "./apply/apply-session.js";
import { refusedPlan } from "./apply/confirm.js";
import { needsApply, newSession, recordInSync } from "./apply/new-session.js";
import { judgeOpen, pushAndDecide } from "./apply/push-watched.js";
import { refusePaused } from "./apply/refuse-paused.js";
import { refuseShutWindow } from "./apply/refuse-shut-window.js";
import { recordDelivered } from "./apply/undelivered.js";
import { onlyApproved } from "./approvals.js";
import { deviceOf, refuseOtherDevice } from "./device-identity.js";
import { claimDevice, DeviceRegistry, withoutSharedDevices } from "./device-registry.js";
import { driftOf } from "./drift.js";
import { expiredWarnings } from "./expired-ignores.js";
import type { Live } from "./live.js";
import { managedFirewalls } from "./managed-firewalls.js";
import { changesByAdministrators, overwrittenWarnings } from "./overwritten.js";
import type { TargetContext } from "./pass/context.js";
import { assertedInDrift, changedByOthers } from "./pass/drift-assertions.js";
import { confirmDigests, refuseKnownAfterApply, refuseMoreThanFilled } from "./pass/known-after-apply.js";
import { consultLedgers, loginOf, openTarget, requestFor, warnOfOtherDevice, withVerdicts } from "./pass/opened-target.js";
import type { PassOptions, Readers, StoreOptions, WriteOptions, Writers } from "./pass/options.js";
import { type Planned, readAndPlan, recordOf, stopsTarget } from "./pass/planner.js";
import { noCanaryWarning, undeliveredWarnings } from "./pass/push-order.js";
import { type OutcomeDraft, type PassWork, runTargets, startPass } from "./pass/run-targets.js";
import { judgedTogether, mayBeTooMany, TargetsOfRun } from "./pass/targets-per-run.js";
import { alreadyHaving, type BeforePush } from "./pass/unpushed.js";
import { inWaves } from "./pass/waves.js";
import type { ReadTarget } from "./target.js";
import { refuseUnprovenWatch } from "./watch/refuse-unproven-watch.js";
import { undecidedOf } from "./watch/undecided.js";
import type { WriteTarget } from "./write-target.js";

/** Plans all targets: checkout > desired > live > diff > plan. The pass has read access only. */
export async function planTargets(options: PassOptions, readers: Readers): Promise<TargetOutcome[]> {
  return await planContexts(await startPass(options, readers), readers);
}

export async function planContexts(contexts: readonly TargetContext[], readers: Readers): Promise<TargetOutcome[]> {
  const { all, devices } = claimingDevices(asOneRun(readingOthersOnce(contexts)));
  return devices.withRefusals(judgedTogether(await runTargets(all.map(withoutWatchedPaths), readers.reader, plan), all));
}

/** Compares with the running configuration, and finds the author and time of each difference. The pass has read access only. */
export async function driftTargets(options: PassOptions, readers: Readers): Promise<TargetOutcome[]> {
  return await driftContexts(await startPass(options, readers), readers);
}

/** Counts the differences of candidate and running configuration (`TargetOutcome.sides`). The pass has read access only. */
export async function compareTargets(options: PassOptions, readers: Readers): Promise<TargetOutcome[]> {
  return await runTargets(await startPass(options, readers), readers.reader, compare);
}

export async function driftContexts(contexts: readonly TargetContext[], readers: Readers): Promise<TargetOutcome[]> {
  const { all, devices } = claimingDevices(readingOthersOnce(contexts));
  return devices.withRefusals(await runTargets(all, readers.reader, drift));
}

/** Lets the targets of a run claim their devices. An agent already has a registry for all visits. */
function claimingDevices(contexts: readonly TargetContext[]): {
  readonly all: readonly TargetContext[];
  readonly devices: NonNullable<StoreOptions["devices"]>;
} {
  const devices = contexts[0]?.options.stores.devices ?? new DeviceRegistry(() => true);
  return {
    all: contexts.map((context) => ({ ...context, options: { ...context.options, stores: { ...context.options.stores, devices } } })),
    devices,
  };
}

/** Reads each other target at most once for the complete run. This is safe because the run writes to no target. */
function readingOthersOnce(contexts: readonly TargetContext[]): TargetContext[] {
  const known = new Map();
  return contexts.map((context) => ({
    ...context,
    dependencies: { ...context.dependencies, others: context.dependencies.others && { ...context.dependencies.others, known } },
  }));
}

/**
 * Reconciles all targets: checkout > desired > live > diff > plan > apply > commit > read back. A target whose mode is not
 * `enforce` is only planned, with read access.
 */
export async function reconcileTargets(options: PassOptions, write: WriteOptions, writers: Writers): Promise<TargetOutcome[]> {
  return await reconcileContexts(
    await startPass({ ...options, source: { ...options.source, mayRun: options.source.mayRun ?? ANY_COMMAND } }, writers),
    write,
    writers,
  );
}

/** Reconciles in waves: a target comes after the targets that it refers to. */
export async function reconcileContexts(all: readonly TargetContext[], write: WriteOptions, writers: Writers): Promise<TargetOutcome[]> {
  const together = asOneRun(all);
  const atOnce = together[0]?.run.atOnce;
  const enforcedAll = together.filter(({ configuration }) => configuration.mode === "enforce");
  if (mayBeTooMany(enforcedAll)) await planContexts(enforcedAll, writers);
  const planned = (contexts: readonly TargetContext[]) => planContexts(contexts, writers);
  const separate = await withoutSharedDevices(together, writers);
  const approved = await onlyApproved(separate.contexts, planned);
  const held = await confirmDigests(approved.contexts, write, planned);
  const outcomes = await inWaves(held.contexts, async (wave) => {
    const contexts = wave.map((context) => withoutWatchedPaths({ ...context, run: { ...context.run, atOnce } }));
    const enforced = contexts.filter(({ configuration }) => configuration.mode === "enforce");
    const watched = contexts.filter(({ configuration }) => configuration.mode !== "enforce");
    const work = reconcile({ ...write, digests: held.digests, confirmed: held.confirmed });
    return (await Promise.all([runTargets(enforced, writers.writer, work), runTargets(watched, writers.reader, plan)])).flat();
  });
  return [...outcomes, ...separate.refused, ...approved.refused, ...held.refused];
}

/**
 * Returns the context of a run that may write. The run does not write at or below a path in mode `observe` or `propose`; the plan lists the
 * differences there as `observed`. `drift` uses the context unchanged.
 */
function withoutWatchedPaths(context: TargetContext): TargetContext {
  if (context.settings.pathModes.size === 0) return context;
  const watched = [...context.settings.pathModes].map(([path, mode]) => ({
    path,
    owner: context.owner,
    reason: `mode: ${mode}`,
    until: undefined,
    origin: -1,
    isObserved: true,
  }));
  return { ...context, desired: { ...context.desired, ignores: [...context.desired.ignores, ...watched] } };
}

/** Counts the targets of a run together for guard `targets`. The agent visits targets one by one and passes its own count. */
function asOneRun(contexts: readonly TargetContext[]): readonly TargetContext[] {
  const atOnce = contexts[0]?.run.atOnce ?? new TargetsOfRun();
  return contexts.map((context) => ({ ...context, run: { ...context.run, atOnce } }));
}

const plan: PassWork<ReadTarget> = async (target, bare, draft) => {
  const ledgers = await consultLedgers(target, bare, "candidate", loginOf(bare), draft);
  const opened = await openTarget(target, bare, draft);
  await claimDevice(bare, opened, recordOf(ledgers.ledger));
  const { capabilities, pending } = opened;
  const request = requestFor(ledgers, opened);
  const context = await withVerdicts(target, bare, draft);
  const listed = context === bare ? pending : undefined;
  const planned = await readAndPlan(target, capabilities, context, { ...request, listed });
  draft.plan = planned.plan;
  draft.unmanaged = unmanagedIn(planned.plan, context);
  draft.sides = planned.sides;
  draft.assertions = planned.asserted;
  const { beforePush } = planned;
  draft.firewalls = await managedFirewalls(target, context, planned.live, beforePush?.rows);
  const arrival = context.configuration.push?.arrival;
  if (beforePush !== undefined && arrival === "firewall")
    draft.plan = { ...planned.plan, alreadyHave: await alreadyHaving(target, beforePush, planned.plan) };
  draft.undecided = undecidedOf(recordOf(request.ledger));
  const { push } = context.configuration;
  draft.warnings.push(...noCanaryWarning(beforePush?.rows ?? [], push), ...undeliveredWarnings(target, planned.live, push));
  draft.warnings.push(...(await outdatedApplications({ target, desired: context.desired })));
  draft.insight = await insightInto(context, target, planned, draft);
  draft.traffic = await trafficInto(context, target, planned);
};

const drift: PassWork<ReadTarget> = async (target, context, draft) => {
  const ledgers = await consultLedgers(target, context, "running", loginOf(context), draft);
  const opened = await openTarget(target, context, draft);
  await claimDevice(context, opened, recordOf(ledgers.ledger));
  const { capabilities, pending: listed } = opened;
  const request = requestFor(ledgers, opened);
  warnOfOtherDevice(request, context, draft);
  const planned = await readAndPlan(target, capabilities, context, { ...request, listed });
  draft.warnings.push(...undeliveredWarnings(target, planned.live, context.configuration.push));
  draft.drift = await driftOf(target, planned, context);
  draft.unmanaged = unmanagedIn(planned.plan, context);
  draft.sides = planned.sides;
  draft.firewalls = await managedFirewalls(target, context, planned.live);
  draft.warnings.push(...expiredWarnings(context), ...(await outdatedApplications({ target, desired: context.desired })));
  draft.undecided = undecidedOf(recordOf(request.ledger));
  draft.insight = await insightInto(context, target, planned, draft);
  draft.assertions = await assertedInDrift({ target, context, ...planned }, draft.drift);
  const allow = allowancesOf(context.options.overrides.allow);
  const asserted = refuseAsserted({ asserted: draft.assertions, desired: context.desired, allow });
  refuseWhatIsLeftOut(context, { refusals: [...planned.plan.refusals, ...asserted] });
};

function unmanagedIn({ unmanaged = [] }: Plan, { options }: TargetContext): TargetOutcome["unmanaged"] {
  return { count: unmanaged.length, entries: options.selection.listsUnmanaged === true ? unmanaged : undefined };
}

const compare: PassWork<ReadTarget> = async (target, context, draft) => {
  const ledgers = await consultLedgers(target, context, "running", loginOf(context), draft);
  const opened = await openTarget(target, context, draft);
  const { capabilities, pending: listed } = opened;
  const request = requestFor(ledgers, opened);
  warnOfOtherDevice(request, context, draft);
  draft.sides = (await readAndPlan(target, capabilities, context, { ...request, listed })).sides;
};

/** Analyses the flows that a plan changes, or the flows that drift changed. The analysis of drift omits changes of a pending commit. */
async function insightInto(
  { options, policies, desired, configuration }: TargetContext,
  target: ReadTarget,
  { plan, live, ledger }: Planned,
  { drift }: OutcomeDraft,
): Promise<Insight | undefined> {
  if (options.analysis.insight !== true) return undefined;
  const source = { target, plan, live, desired, configuration, work: options.analysis.insightWork };
  if (drift === undefined)
    return await insightOf(policies, { ...source, changed: plan.changes.map(({ path }) => path), view: "candidate" }, "forward");
  // Before the first reconcile there is no commit that could be pending: every difference is analysed.
  const changed = ledger.state === "missing" ? drift.items.map(({ change }) => change.path) : changedByOthers(drift);
  return await insightOf(policies, { ...source, changed, view: "running" }, "back");
}

/** Replays the logged sessions of the target against the plan, if `--replay` requests it. */
async function trafficInto(
  { name, options, policies, desired, configuration }: TargetContext,
  target: ReadTarget,
  { plan, live }: Planned,
): Promise<Traffic | undefined> {
  if (options.analysis.replay === undefined) return undefined;
  const { trafficOf } = await import("../reachability/traffic/traffic.js");
  const source = { target, plan, live, desired, configuration, changed: plan.changes.map(({ path }) => path), view: "candidate" as const };
  const {
    stop,
    listeners: { progress },
  } = options;
  const onRecords = (records: number) => progress?.(name, `replaying traffic, ${records} records`);
  return await trafficOf(policies, source, options.analysis.replay, { stop, progress: onRecords });
}

const reconcile =
  (write: WriteOptions): PassWork<WriteTarget> =>
  async (target, bare, draft) => {
    refuseKnownAfterApply(bare);
    const ledgers = await consultLedgers(target, bare, "candidate", undefined, draft);
    const opened = await openTarget(target, bare, draft);
    const { identity, capabilities, pending } = opened;
    const device = deviceOf(opened);
    refuseOtherDevice(recordOf(ledgers.ledger), device, bare.name);
    await claimDevice(bare, opened, recordOf(ledgers.ledger));
    const context = await withVerdicts(target, bare, draft);
    const administrator = await target.administrator();
    const request = { ...requestFor(ledgers, opened), administrator };
    await refuseUnprovenWatch(recordOf(ledgers.ledger), context);
    const facts = { identity, device, capabilities, administrator, foreignLedgers: request.foreignLedgers };
    const session = newSession(target, context, write, draft, facts, request.ledger);
    try {
      const listed = (await finishOpenWatch(session, draft)) || context !== bare ? undefined : pending;
      const read = async (own: typeof listed) =>
        await readAndPlan(target, capabilities, context, { ...request, ledger: session.ledger.current, listed: own });
      let planned = await read(listed);
      // The documents changed while an earlier commit is being checked. Decide on that commit first.
      const isWatchOpen = recordOf(session.ledger.current)?.watch !== undefined;
      if (isWatchOpen && (await needsApply(session, planned)) && (await judgeOpen(session, draft))) {
        planned = await read(undefined);
      }
      draft.plan = planned.plan;
      draft.unmanaged = unmanagedIn(planned.plan, context);
      draft.sides = planned.sides;
      draft.assertions = planned.asserted;
      refuseMoreThanFilled(write.confirmed?.get(context.name), planned.plan);
      if (!(await needsApply(session, planned))) {
        // Without a difference no write is needed, but a refusal means that part of the target was not compared.
        const refused = refusedPlan(context, context.name, planned.plan.refusals.filter(stopsTarget));
        if (refused !== undefined) throw refused;
        draft.applied = await recordInSync(session, planned);
        await reportOrPush(session, planned.live, { before: undefined, runningBefore: undefined }, draft);
        refuseWhatIsLeftOut(context, planned.plan);
        return;
      }
      await refuseShutWindow(context, draft.warnings);
      await refusePaused(session);
      draft.sides = undefined;
      const result = await applyPlan(session, planned);
      draft.sides = result.remaining.sides;
      draft.plan = result.planned.plan;
      draft.assertions = result.planned.asserted;
      draft.applied = result.applied;
      const { runningBefore } = result;
      const before = result.planned.beforePush;
      await reportOrPush(session, reachOfBoth(result.planned.live, result.remaining.live), { before, runningBefore }, draft);
      refuseWhatIsLeftOut(context, result.planned.plan);
      // Lists became incomplete during the write: one omits an object that this run created.
      refuseWhatIsLeftOut(context, result.remaining.plan);
    } catch (error) {
      // If the run was refused under the lock before any write, report the plan that was made there.
      if (session.progress.operations === 0 && session.progress.commits === 0 && session.progress.judged !== undefined) {
        draft.plan = session.progress.judged.plan;
        draft.sides = session.progress.judged.sides;
        draft.assertions = session.progress.judged.asserted;
      }
      throw error;
    } finally {
      if (session.ledger.current.state !== "missing") draft.lacksLedger = undefined;
      draft.watch = session.progress.watchReport;
      draft.writes = writesOf(session);
      reportOverwritten(session, draft);
    }
  };

/** Returns whether firewalls still have objects whose documents were deleted. */
function reachOfBoth(before: Live, after: Live): Live {
  return { ...after, reach: [...(before.reach ?? before.subtrees), ...(after.reach ?? after.subtrees)] };
}

/** Reads the state of a manager's firewalls, after the push if `push:` is declared. */
async function reportOrPush(
  session: ApplySession,
  live: Live,
  earlier: { readonly before: BeforePush | undefined; readonly runningBefore: TreeNode | undefined },
  draft: OutcomeDraft,
): Promise<void> {
  const { target, context } = session;
  if (context.configuration.push === undefined) draft.firewalls = await managedFirewalls(target, context, live);
  else {
    await pushAndDecide(session, live, earlier, draft);
    await recordDelivered(session, draft.firewalls);
  }
}

function writesOf({
  progress: { commits, operations },
  facts: { capabilities },
}: Pick<ApplySession, "facts" | "progress">): TargetOutcome["writes"] {
  if (capabilities.candidate ? commits > 0 : operations > 0) return "stored";
  return operations > 0 ? "reverted" : undefined;
}

/** Warns of manual changes that the commit overwrote. A run that applies a saved plan does not: its reviewer saw them there. */
function reportOverwritten(session: LedgerSession, draft: OutcomeDraft): void {
  const {
    progress: { commits, operations, watchReport },
    facts: { capabilities },
  } = session;
  const overwritten = changesByAdministrators(session);
  const isApplied = capabilities.candidate ? commits > 0 && watchReport?.decision !== "taken back" : operations > 0;
  if (!isApplied || overwritten.length === 0) return;
  draft.overwritten = overwritten;
  if (session.write.digests?.has(session.context.name) !== true) draft.warnings.push(...overwrittenWarnings(overwritten));
}

/** @throws PlumblineError `plan-refused` if a subtree was omitted. The rest of the plan is applied by then. */
function refuseWhatIsLeftOut(context: TargetContext, { refusals }: Pick<Plan, "refusals">): void {
  const refused = refusedPlan(
    context,
    context.name,
    refusals.filter((refusal) => !stopsTarget(refusal)),
  );
  if (refused !== undefined) throw refused;
}
