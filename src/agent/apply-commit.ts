import type { PlumblineError } from "../core/errors.js";
import { allowedBy, flagsOf } from "../engine/allowance.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import type { TargetContext } from "../engine/pass/context.js";
import type { WriteOptions } from "../engine/pass/options.js";
import { planContexts, reconcileContexts } from "../engine/reconcile.js";
import { isInSync } from "../outcome/in-sync.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { Plan } from "../plan/model.js";
import { changeView } from "../report/json.js";
import { formatOpenedFlows } from "../report/opened-flows.js";
import { asDrifted, isNotHealed } from "./drift-pass.js";
import { declaredPlace, keyOf } from "./drift-tracker.js";
import type { HoldReason, KnownDrift, PassFacts, PassResult } from "./events.js";
import { reportAssertions } from "./report-assertions.js";
import { retryDelay } from "./retries.js";
import { passEnd } from "./store/from-outcome.js";
import { valueDependencies } from "./value-dependencies.js";
import { commitIsDone, commitOf, factsOf, passStart, type Visit, type Visited, type VisitParts } from "./visit-parts.js";
import { reportBlock, type WriteBlock, whyCommitWaits } from "./write-blocks.js";

/**
 * Errors that are not the fault of the commit and are retried soon: another run or administrator works on the target, a user paused
 * it, or the store, the ledger or the notices became unreachable.
 */
const HOLDS: ReadonlyMap<string, HoldReason> = new Map([
  ["locked-by-other", "locked"],
  ["locked-by-run", "locked"],
  ["device-busy", "locked"],
  ["device-locked", "locked"],
  ["foreign-change", "locked"],
  ["push-foreign", "locked"],
  ["lease-lost", "locked"],
  ["paused", "paused"],
  ["notices-unreadable", "notices"],
  ["ledger-unreadable", "ledger"],
  ["window-shut", "window"],
  ["store-unreachable", "store"],
  ["store-busy", "store"],
  ["store-full", "store"],
  ["store-unwritable", "store"],
]);
const SOON = 60_000;
const SECOND = 1000;

/** Applies the active commit to the target, unless it is on hold. `drift` is the drift that this heals. */
export async function applyCommit(visit: Visit, drift: readonly KnownDrift[], parts: VisitParts): Promise<Visited> {
  const held = await whyCommitWaits(visit, drift, parts);
  if (held !== undefined) return await hold(visit, held, parts);
  const followed = visit.state.commitPending ? await valueDependencies(visit, parts) : undefined;
  if (followed?.held !== undefined) return await hold(visit, followed.held, parts);
  const approved = await approval(
    { ...visit, context: { ...visit.context, dependencies: { ...visit.context.dependencies, blockedBy: followed?.blockedBy } } },
    parts,
  );
  if (!("write" in approved)) return await hold(visit, approved, parts);
  const start = passStart(visit, "reconcile", parts);
  const began = parts.clock.monotonic();
  const pass = await parts.recorder.start(start);
  if (pass === undefined)
    return await hold(visit, { reason: "store", message: "the store cannot be written, so nothing is applied" }, parts);
  const facts = factsOf(visit, parts, pass);
  await parts.events.emit({ type: "pass-started", ...facts });
  const [outcome] = await reconcileContexts([approved.context], approved.write, parts.writers);
  if (outcome === undefined) throw new Error(`no outcome for ${visit.target}`);
  await reportOverwritten(facts, outcome, parts);
  await reportAssertions(visit, facts, outcome, parts);
  const visited = await settle(visit, facts, outcome, drift, parts);
  const milliseconds = Math.round(parts.clock.monotonic() - began);
  const end = passEnd(outcome, { ended: parts.clock.now(), durations: { total: milliseconds } });
  // A verified apply found no remaining difference, except at paths that it may not write.
  const isAll = visit.context.settings.pathModes.size === 0 && outcome.plan?.remaining.length === 0;
  const seen = isAll ? {} : { drift: undefined };
  const recorded = asDrifted({ ...end, ...seen }, visited.result);
  await parts.recorder.finish(pass, start, { ...recorded, heals: healsOf(outcome, drift), mark: null });
  const openDrift = parts.tracker.openOf(visit.target);
  await parts.events.emit({ type: "pass-ended", ...facts, result: visited.result, milliseconds, outcome, drift: openDrift });
  return visited;
}

/** Heals that count towards the limit: a run that wrote to the target counts even if it then failed. */
function healsOf({ applied, writes, plan }: TargetOutcome, drift: readonly KnownDrift[]) {
  if ((applied?.operations ?? 0) === 0 && writes !== "stored") return [];
  return drift
    .filter((each) => !isLeftOut(each, plan))
    .map(({ item: { change } }) => ({ path: change.path.toString(), change: change.kind }));
}

function isLeftOut({ item: { change } }: KnownDrift, plan: TargetOutcome["plan"]): boolean {
  return plan?.leftOut.some((root) => root.contains(change.path)) === true;
}

async function hold(visit: Visit, held: WriteBlock, parts: VisitParts): Promise<Visited> {
  await reportBlock(visit, held, parts);
  const soon = held.reason === "notices" ? SOON : undefined;
  const retryIn = held.until === undefined ? soon : Math.max(1000, held.until - parts.clock.now());
  const leftOut = held.reason === "paused" || held.reason === "approval" || held.reason === "heal-guard";
  const failed = held.reason === "retries-spent" || held.reason === "retrying" || held.reason === "refused";
  return { result: "held", retryIn, wave: failed ? "failed" : leftOut ? "left-out" : "waits" };
}

/** Returns how the target may be written, with its approval and overrides, or the reason to wait for an approval. */
async function approval(visit: Visit, parts: VisitParts): Promise<{ context: TargetContext; write: WriteOptions } | WriteBlock> {
  const { context, target } = visit;
  const { write, writers, notices, recorder, clock } = parts;
  const needsApproval = context.configuration.approve === "required";
  if (!needsApproval && !(await recorder.read(() => notices.mayAllow(target, clock.now()), false))) return { context, write };
  const [outcome] = await planContexts([context], writers);
  const plan = outcome?.plan;
  if (plan === undefined || (plan.operations.length === 0 && !plan.commitOnly)) return { context, write };
  const { digest } = plan;
  const approval = needsApproval ? await recorder.read(() => notices.approval(target, digest), undefined) : undefined;
  if (needsApproval && approval === undefined) {
    const opened = formatOpenedFlows(outcome?.insight, "It");
    return { reason: "approval", message: `plan ${digest} is not approved: \`plumbline approve ${target} ${digest}\`${opened}` };
  }
  const allowed = await letPass(target, plan, parts);
  if ("reason" in allowed) return allowed;
  if (!needsApproval && allowed.size === 0) return { context, write };
  const allow = new Map([...context.options.overrides.allow, ...(needsApproval ? [["meaning", ""] as const] : []), ...allowed]);
  const options = { ...context.options, overrides: { ...context.options.overrides, allow } };
  return { context: { ...context, options }, write: { ...write, digests: new Map([[target, digest]]) } };
}

/** Takes the overrides of a user for this plan. They are used up before the first write, so that they count once. */
async function letPass(target: string, plan: Plan, { notices, clock }: VisitParts): Promise<ReadonlyMap<string, string> | WriteBlock> {
  const flags = flagsOf(plan.refusals) ?? [];
  if (flags.length === 0) return new Map();
  try {
    return (await notices.takeAllowance(target, plan.digest, flags, clock.now())) ? allowedBy(flags) : new Map();
  } catch (error) {
    return { reason: "notices", message: asPlumblineError(error, target).message };
  }
}

/** Updates the state of the target after a run. */
async function settle(
  visit: Visit,
  facts: PassFacts,
  outcome: TargetOutcome,
  drift: readonly KnownDrift[],
  parts: VisitParts,
): Promise<Visited> {
  const { state, target } = visit;
  const { applied, plan, error } = outcome;
  const wrote = applied !== undefined && (applied.operations > 0 || applied.commit === "committed");
  if (wrote) await parts.events.emit({ type: "applied", ...facts, digest: plan?.digest ?? "", applied, heals: drift.length });
  if (error !== undefined) {
    if (wrote) await parts.tracker.healed(facts, (each) => !isNotHealed(visit, each) && !isLeftOut(each, plan));
    return await settleError(visit, facts, outcome, error, parts);
  }
  await reportBlock(visit, undefined, parts);
  commitIsDone(visit, parts);
  state.appliedCommit = visit.since;
  state.unreachable = 0;
  state.undone = 0;
  state.reportedRefusals = undefined;
  await parts.recorder.write((store) => store.holds.release(target), undefined);
  await parts.tracker.healed(facts, (each) => !isNotHealed(visit, each));
  const isDone = isInSync(outcome) ? "in-sync" : "pending";
  const rest = plan !== undefined && plan.remaining.length > 0 ? "drifted" : isDone;
  return { result: wrote ? "applied" : rest, wave: "done" };
}

async function settleError(
  visit: Visit,
  facts: PassFacts,
  { plan, writes }: TargetOutcome,
  error: PlumblineError,
  parts: VisitParts,
): Promise<Visited> {
  const { state } = visit;
  if (error.code === "changed-since-commit") return await recheckLater(visit, facts, error, parts);
  if (error.code === "interrupted") return { result: "failed", wave: "waits" };
  const reason = HOLDS.get(error.code);
  if (plan !== undefined) state.unreachable = 0;
  if (reason !== undefined) {
    await reportBlock(visit, { reason, message: error.message }, parts);
    // Each try of such a run writes to the candidate and reverts it, so the tries back off.
    if (writes !== undefined) state.undone += 1;
    const retryIn = writes === undefined ? SOON : retryDelay(state.undone, parts.clock);
    return { result: "held", retryIn, wave: reason === "paused" ? "left-out" : "waits" };
  }
  if (error.severity === "refused") {
    await reportRefusal(visit, facts, plan, error, parts);
    return { result: "refused", wave: "failed" };
  }
  if (plan === undefined) {
    state.unreachable += 1;
    const retryIn = retryDelay(state.unreachable, parts.clock);
    return { result: "failed", retryIn, wave: "failed" };
  }
  return await holdAfterFailure(visit, facts, error, parts);
}

/**
 * The commit is on the target, and the change since then is drift. The first time the target is checked again immediately;
 * if the next commit is undone too, the tries back off and are limited like failed ones.
 */
async function recheckLater(visit: Visit, facts: PassFacts, error: PlumblineError, parts: VisitParts): Promise<Visited> {
  const { state } = visit;
  await reportBlock(visit, undefined, parts);
  commitIsDone(visit, parts);
  state.undone += 1;
  if (state.undone === 1) return { result: "drifted", retryIn: SECOND, wave: "done" };
  const { retryIn } = await holdAfterFailure(visit, facts, error, parts);
  return { result: "drifted", retryIn, wave: "done" };
}

/** Reports a refused plan once, until other guards refuse it. */
export async function reportRefusal(
  visit: Visit,
  facts: PassFacts,
  plan: Pick<Plan, "digest" | "refusals"> | undefined,
  error: PlumblineError,
  parts: VisitParts,
): Promise<void> {
  const { state } = visit;
  await reportBlock(visit, { reason: "refused", message: error.message }, parts);
  const refusals = plan?.refusals ?? [];
  const words = `${plan?.digest} ${error.code} ${refusals.map(({ guard }) => guard).join(" ")}`;
  if (state.reportedRefusals === words) return;
  state.reportedRefusals = words;
  await parts.events.emit({ type: "plan-refused", ...facts, digest: plan?.digest ?? "", refusals, error });
}

/** Plans a retry of the commit. After the last attempt there is none until a new commit. */
async function holdAfterFailure(visit: Visit, facts: PassFacts, error: PlumblineError, parts: VisitParts): Promise<Visited> {
  const { target, state } = visit;
  const { recorder, clock, events, settings } = parts;
  // A refusal after this failure is reported again.
  state.reportedRefusals = undefined;
  const commit = commitOf(visit, parts) ?? "";
  const before = await recorder.read((store) => store.holds.get(target), undefined);
  const attempts: number = (before?.commit === commit ? before.attempts : 0) + 1;
  const isSpent = attempts >= settings().attempts || error.code === "not-converging";
  const retryIn = isSpent ? undefined : retryDelay(attempts, clock);
  const nextTry = retryIn === undefined ? undefined : clock.now() + retryIn;
  const hold = { target, commit, attempts, nextTry, reason: error.message, at: clock.now() };
  await recorder.write((store) => store.holds.hold(hold), undefined);
  await events.emit({ type: "apply-failed", ...facts, error, attempt: attempts, retryAt: nextTry });
  return { result: "failed", retryIn, wave: "failed" };
}

export function resultIsGood(result: PassResult): boolean {
  return result === "in-sync" || result === "skipped" || result === "applied";
}

/**
 * Reports changes, with their authors, that a commit has overwritten before any pass read them. In the history, each is a drift that ended
 * immediately.
 */
async function reportOverwritten(facts: PassFacts, { overwritten = [], sources }: TargetOutcome, parts: VisitParts): Promise<void> {
  const { events, recorder, tracker, clock } = parts;
  const { target } = facts;
  const at = clock.now();
  const seen = new Set(tracker.openOf(target).map(({ key }) => key));
  const drift = overwritten
    .map((item): KnownDrift => ({ key: keyOf(item), item, firstSeen: at, declaredAt: declaredPlace(item, sources) }))
    .filter(({ key }) => !seen.has(key));
  if (drift.length === 0) return;
  await events.emit({ type: "written-over", ...facts, drift });
  for (const { item } of drift) {
    const { change, attribution } = item;
    await recorder.keep(({ history }) =>
      history.note({
        kind: "drift",
        at,
        ended: at,
        target,
        path: change.path.toString(),
        author: attribution?.admin,
        outcome: change.kind,
        summary: "written over by the commit",
        detail: { authorTime: attribution?.time, view: changeView(change, undefined, undefined) },
      }),
    );
  }
}
