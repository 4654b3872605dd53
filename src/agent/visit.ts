import { PlumblineErrors } from "../core/errors.js";
import { takeoverAfter } from "../engine/apply/apply-session.js";
import { refusedPlan } from "../engine/apply/confirm.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import type { TargetContext } from "../engine/pass/context.js";
import { planContexts } from "../engine/reconcile.js";
import type { UndecidedCommit } from "../outcome/format-unfinished.js";
import { isInSync, refusalsIn } from "../outcome/in-sync.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { count } from "../report/format-counts.js";
import { applyCommit, reportRefusal } from "./apply-commit.js";
import { asDrifted, type DriftPass, runDriftPass } from "./drift-pass.js";
import { reportEndingIgnores } from "./ending-ignores.js";
import type { HoldReason, PassResult } from "./events.js";
import { compareWhilePending, healWhilePending, pendingReason } from "./pending-commit-pass.js";
import { probe } from "./probe.js";
import { retryDelay } from "./retries.js";
import { isUnchanged, UNCHANGED } from "./skip-unchanged.js";
import { passEnd } from "./store/from-outcome.js";
import type { Trigger } from "./store/store.js";
import { commitIsDone, factsOf, passStart, sinceOf, type TargetState, type Visit, type Visited, type VisitParts } from "./visit-parts.js";
import { reportBlock } from "./write-blocks.js";

/** First and longest wait, in milliseconds, after a visit that found a commit which is not taken up yet. */
const SOON = 1_000;
const LATEST = 60_000;
/** Hold reasons that only concern the order of targets. */
const ORDER_ONLY: ReadonlySet<HoldReason | undefined> = new Set(["rollout", "follows"]);

/** Visits a target, and records since when it does not answer. */
export async function visitTarget(target: string, trigger: Trigger, state: TargetState, parts: VisitParts): Promise<Visited> {
  const visited = await visitOnce(target, trigger, state, parts);
  state.unreachableSince = state.unreachable === 0 ? undefined : (state.unreachableSince ?? parts.clock.now());
  return visited;
}

/**
 * Visits a target. A pending commit is applied. Otherwise the running configuration is compared with the active commit, and drift
 * is healed or proposed if the mode of the target permits it.
 */
async function visitOnce(target: string, trigger: Trigger, state: TargetState, parts: VisitParts): Promise<Visited> {
  await reportEndingIgnores({ target, state }, parts);
  const silence = await probe(target, trigger, state, parts);
  if (silence !== undefined) return { ...(await notReached(target, trigger, state, silence.error, parts)), retryIn: silence.retryIn };
  if (!state.commitPending && trigger === "timer" && (await isUnchanged({ target, trigger, state }, parts))) return UNCHANGED;
  let context: TargetContext;
  try {
    context = await withOthers(await parts.contexts.of(target), parts);
  } catch (error) {
    return await notReached(target, trigger, state, error, parts);
  }
  if (context.checkout.commit !== parts.taken()) {
    const retryIn = Math.min(SOON * 2 ** state.postponements, LATEST);
    state.postponements += 1;
    return { result: "held", retryIn, wave: "waits", isPostponed: true };
  }
  state.postponements = 0;
  const visit: Visit = { target, trigger, state, context, since: sinceOf(target, parts) };
  const { mode } = context.configuration;
  if (state.planWanted) {
    state.planWanted = false;
    await planPass(visit, parts);
  }
  if (state.commitPending && mode === "enforce") return await applyPending(visit, parts);
  const pass = await runDriftPass(visit, parts);
  const { error, drift, healable, waiting, refusals, isInSync, isToPush, undecided, unexplained } = pass;
  // A subtree that was not read does not prevent healing the others.
  if (error !== undefined && (error.code !== "plan-refused" || (healable.length === 0 && waiting === undefined))) {
    state.unreachable += 1;
    return { result: "failed", retryIn: retryDelay(state.unreachable, parts.clock), wave: "failed" };
  }
  state.unreachable = 0;
  commitIsDone(visit, parts);
  const isToDecide = mode === "enforce" && isLeftBehind(visit, undecided, parts);
  if (healable.length > 0 || waiting !== undefined || isToPush || isToDecide) return await applyFound(visit, pass, parts);
  const refused = refusedPlan(context, target, refusals);
  if (refused !== undefined) {
    await reportRefusal(visit, factsOf(visit, parts, undefined), { digest: "", refusals }, refused, parts);
    return { result: drift.length > 0 ? "drifted" : "refused", wave: "failed" };
  }
  if (mode === "enforce" && unexplained > 0) {
    const message = `the ledger cannot be read, so the cause of ${count(unexplained, "difference")} is unknown and nothing is written`;
    await reportBlock(visit, { reason: "ledger", message }, parts);
    state.unreadLedgers += 1;
    return { result: "held", retryIn: retryDelay(state.unreadLedgers, parts.clock), wave: "waits" };
  }
  state.unreadLedgers = 0;
  await reportBlock(visit, undefined, parts);
  if (mode === "propose") await parts.propose?.(context, drift.length);
  await parts.proposeEnds?.(context);
  if (drift.length === 0) return { result: isInSync ? "in-sync" : "pending", wave: "done" };
  return { result: "drifted", wave: "done" };
}

/** Applies the pending commit, and compares the target if that is not possible. */
async function applyPending(visit: Visit, parts: VisitParts): Promise<Visited> {
  const visited = await applyCommit(visit, [], parts);
  noteTried(visit);
  const isInSync = leavesSomething(visited, visit) && (await compareWhilePending(visit, visited, parts));
  return isInSync ? await appliedByOther(visit, parts) : visited;
}

/** Applies what a drift pass found. */
async function applyFound(visit: Visit, pass: DriftPass, parts: VisitParts): Promise<Visited> {
  const { healable, reapplied, waiting } = pass;
  const visited = await applyCommit(visit, [...healable, ...reapplied], parts);
  // A commit on hold at the first start is then like one that arrived later, and unchanged targets are skipped. Heals are still counted.
  if (visited.result === "held" && waiting !== undefined && healable.length === 0 && reapplied.length === 0) {
    visit.state.commitPending = true;
    noteTried(visit);
  }
  if (leavesSomething(visited, visit)) await healWhilePending(visit, pass, pendingReason(visit, visited.result), parts);
  return visited;
}

/** Records that the commit was tried, unless only the order of targets blocks it. */
function noteTried({ state, since }: Visit): void {
  if (!ORDER_ONLY.has(state.held)) state.tried = since;
}

/** Adds the number of targets in the first wave, which count together for guard `targets`. */
async function withOthers(context: TargetContext, parts: VisitParts): Promise<TargetContext> {
  const size = await parts.atOnce(context.name);
  return { ...context, run: { ...context.run, atOnce: { size: size ?? 1, note: () => undefined } } };
}

/** Returns whether no run decides on a commit: its rollback failed, or the time of its checks and of its lock is over. */
function isLeftBehind({ state, context }: Visit, undecided: UndecidedCommit | undefined, { clock }: VisitParts): boolean {
  const now = clock.monotonic();
  if (undecided === undefined) state.undecided = undefined;
  else if (state.undecided?.run !== undecided.run) state.undecided = { run: undecided.run, seen: now };
  if (undecided === undefined || state.undecided === undefined) return false;
  const time = undecided.window * 60_000 + takeoverAfter(context) * 1000;
  return undecided.tripped !== undefined || now - state.undecided.seen > time;
}

/** Ends the hold of a commit that failed here, because another run, such as `plumbline reconcile`, has applied it. */
async function appliedByOther(visit: Visit, parts: VisitParts): Promise<Visited> {
  await reportBlock(visit, undefined, parts);
  commitIsDone(visit, parts);
  await parts.recorder.write((store) => store.holds.release(visit.target), undefined);
  return { result: "in-sync", wave: "done" };
}

/** Returns whether the commit was not applied although the target answers and the agent is not stopping. */
function leavesSomething({ result }: Visited, { state, context }: Visit): boolean {
  const isThere = result === "applied" || result === "in-sync" || result === "drifted";
  return !isThere && state.unreachable === 0 && context.options.stop?.aborted !== true;
}

/** Records a failed visit whose target does not answer, or did not load, for example because a secret cannot be read. */
async function notReached(target: string, trigger: Trigger, state: TargetState, cause: unknown, parts: VisitParts): Promise<Visited> {
  const { recorder, events, clock, tracker } = parts;
  const first = cause instanceof PlumblineErrors ? cause.errors[0] : cause;
  const error = asPlumblineError(first, target);
  const start = passStart({ target, trigger }, "drift", parts);
  const facts = factsOf({ target, trigger }, parts, undefined);
  const outcome = { target, kind: "", error, warnings: [] };
  await events.emit({ type: "pass-started", ...facts });
  await recorder.finish(undefined, start, { ...passEnd(outcome, { ended: clock.now(), durations: {} }), mark: null });
  await events.emit({ type: "pass-ended", ...facts, result: "failed", milliseconds: 0, outcome, drift: tracker.openOf(target) });
  state.unreachable += 1;
  state.tried = sinceOf(target, parts);
  return { result: "failed", retryIn: retryDelay(state.unreachable, clock), wave: "failed" };
}

/** Plans at the request of a user, without writing to the target. The plan is kept in the store. */
async function planPass(visit: Visit, parts: VisitParts): Promise<void> {
  const { context, target } = visit;
  const { recorder, events, clock, tracker, writers } = parts;
  const start = passStart(visit, "plan", parts);
  const began = clock.monotonic();
  const pass = await recorder.start(start);
  const facts = factsOf(visit, parts, pass);
  await events.emit({ type: "pass-started", ...facts });
  const [outcome] = await planContexts([context], writers);
  if (outcome === undefined) throw new Error(`no outcome for ${target}`);
  const milliseconds = Math.round(clock.monotonic() - began);
  const end = passEnd(outcome, { ended: clock.now(), durations: { total: milliseconds } });
  const drift = tracker.openOf(target);
  const result = resultOf(outcome, drift.length > 0);
  // A refused plan does not fail the pass, because nothing was to be written.
  await recorder.finish(pass, start, asDrifted(end, result));
  await events.emit({ type: "pass-ended", ...facts, result, milliseconds, outcome, drift });
}

function resultOf(outcome: TargetOutcome, isDrifted: boolean): PassResult {
  if (outcome.error !== undefined) return "failed";
  if (isDrifted) return "drifted";
  if (isInSync(outcome)) return "in-sync";
  return refusalsIn(outcome).length > 0 ? "refused" : "pending";
}
