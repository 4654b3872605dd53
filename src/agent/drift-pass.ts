import type { PlumblineError } from "../core/errors.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import { dueWavesOf, pushWavesOf } from "../engine/pass/push-order.js";
import { driftContexts } from "../engine/reconcile.js";
import { formatUnfinished, type UndecidedCommit } from "../outcome/format-unfinished.js";
import { isInSync, refusalsIn } from "../outcome/in-sync.js";
import type { DriftItem, TargetOutcome } from "../outcome/outcome.js";
import { isRemaining } from "../plan/diff/change.js";
import type { Refusal } from "../plan/model.js";
import { isMissingWithoutTime, lastRead, MOST_PASSES, withAbsenceTimes } from "./absence-times.js";
import { keyOf } from "./drift-tracker.js";
import type { KnownDrift, PassResult, Waiting } from "./events.js";
import { reportAssertions } from "./report-assertions.js";
import { readMark, whileHeld } from "./skip-unchanged.js";
import { passEnd } from "./store/from-outcome.js";
import { driftKey, type OpenDrift, type PassEnd } from "./store/store.js";
import { factsOf, passStart, type Visit, type VisitParts } from "./visit-parts.js";

export interface DriftPass {
  readonly error: PlumblineError | undefined;
  /** Manual changes. */
  readonly drift: readonly KnownDrift[];
  /** Drift that the mode permits to heal. */
  readonly healable: readonly KnownDrift[];
  /** Set while a commit is pending. */
  readonly waiting: Waiting | undefined;
  /** Changes of a commit that this process has applied: another runner of the same ledger replaced them. They count as heals. */
  readonly reapplied: readonly KnownDrift[];
  /** Parts of the desired state that could not be compared. */
  readonly refusals: readonly Refusal[];
  /** The target is in sync: everything declared was compared, is equal and reached the device. */
  readonly isInSync: boolean;
  readonly undecided: UndecidedCommit | undefined;
  /** Some firewalls need a push and can receive it. */
  readonly isToPush: boolean;
  /** Number of differences whose cause is unknown, because the ledger cannot be read. They are neither drift nor healed. */
  readonly unexplained: number;
}

/** Holds after which another run may apply the commit, and the agent does not try. */
const AFTER_FAILURE: ReadonlySet<Waiting["held"]> = new Set(["retrying", "retries-spent"]);

/** Runs a drift pass. Differences that come from a pending commit are counted separately. `held`: why the commit is pending. */
export async function runDriftPass(visit: Visit, parts: VisitParts, held?: Waiting["held"]): Promise<DriftPass> {
  const { context, target, state } = visit;
  const { recorder, events, clock, tracker } = parts;
  const start = passStart(visit, "drift", parts);
  const began = clock.monotonic();
  const pass = await recorder.start(start);
  const facts = factsOf(visit, parts, pass);
  await events.emit({ type: "pass-started", ...facts });
  const mark = await readMark(visit, parts);
  const [outcome] = await driftContexts([context], parts.writers);
  if (outcome === undefined) throw new Error(`no outcome for ${target}`);
  await reportAssertions(visit, facts, outcome, parts);
  const isEnforced = context.configuration.mode === "enforce";
  const remembered = await recorder.read((store) => store.drift.open(target), []);
  const known = new Set([...remembered.map(driftKey), ...tracker.openOf(target).map(({ key }) => key)]);
  const timed = await withTimes(withKnownCauses(outcome, known), remembered, pass, parts);
  const seen = isEnforced ? withoutCommit(visit, timed) : { outcome: timed, changes: [] };
  const isApplied = AFTER_FAILURE.has(held) && seen.changes.length === 0 && isInSync(seen.outcome);
  const isPending = state.commitPending && !isApplied;
  const isWaiting = isEnforced && (isPending || seen.changes.length > 0);
  const waiting = isWaiting ? { changes: seen.changes.length, held } : undefined;
  const isRepeated = !state.commitPending && visit.since !== undefined && state.appliedCommit === visit.since;
  const reapplied = !isRepeated ? [] : seen.changes.map((item) => ({ key: keyOf(item), item, firstSeen: clock.now() }));
  const refusals = refusalsIn(outcome);
  const isOpen = formatUnfinished(outcome) !== undefined;
  const found = seen.outcome.drift;
  const drift =
    found === undefined
      ? tracker.openOf(target)
      : await tracker.see(facts, { drift: found, sources: outcome.sources }, clock.now(), remembered);
  const healable = isEnforced ? drift.filter((each) => !isNotHealed(visit, each)) : [];
  const milliseconds = Math.round(clock.monotonic() - began);
  // The time since a firewall is disconnected grows without any change.
  const isEachConnected = outcome.firewalls?.rows.every(({ away }) => away === undefined) !== false;
  // While a commit is on hold, only a change of the target needs another full pass. The end of the hold is found without one.
  const isOnlyHeld = isPending && held !== undefined;
  const isSettled =
    outcome.error === undefined &&
    outcome.unread === undefined &&
    outcome.lacksLedger !== "unreadable" &&
    healable.length === 0 &&
    (isOnlyHeld || (waiting === undefined && outcome.paused === undefined)) &&
    !isOpen &&
    refusals.length === 0 &&
    isEachConnected;
  const stored = isOnlyHeld && mark !== null ? whileHeld(mark) : mark;
  const end = passEnd(seen.outcome, { ended: clock.now(), durations: { total: milliseconds } });
  const isDone = isInSync(seen.outcome) && waiting === undefined && drift.length === 0;
  const result = isDone ? "in-sync" : resultOf(outcome, drift, refusals);
  const stopped = outcome.error?.code === "interrupted" ? ({ outcome: "interrupted" } as const) : {};
  const recorded = asDrifted({ ...end, ...withPendingCommit(end, waiting) }, result);
  await recorder.finish(pass, start, { ...recorded, ...stopped, mark: isSettled ? stored : null });
  await events.emit({ type: "pass-ended", ...facts, result, milliseconds, outcome, drift, waiting });
  const { push } = context.configuration;
  const rows = outcome.firewalls?.rows ?? [];
  const isToPush = isEnforced && push !== undefined && dueWavesOf(rows, pushWavesOf(rows, push)).length > 0;
  const { error, undecided } = outcome;
  const unexplained = (outcome.drift?.items.length ?? 0) - (timed.drift?.items.length ?? 0);
  return { error, drift, healable, waiting, reapplied, refusals, isInSync: isDone, isToPush, undecided, unexplained };
}

function resultOf({ error }: TargetOutcome, drift: readonly KnownDrift[], refusals: readonly Refusal[]): PassResult {
  if (error !== undefined) return "failed";
  return drift.length > 0 ? "drifted" : refusals.length > 0 ? "refused" : "pending";
}

/**
 * Omits differences whose cause is unknown, because the ledger cannot be read, unless they are known as drift. Without any version of the
 * ledger, the known drift does not change: a difference that is not found may be an object whose document was deleted.
 */
function withKnownCauses(outcome: TargetOutcome, known: ReadonlySet<string>): TargetOutcome {
  const { drift } = outcome;
  if (drift === undefined) return outcome;
  if (drift.areCausesUnknown === true) return { ...outcome, drift: undefined };
  return { ...outcome, drift: { ...drift, items: drift.items.filter((item) => item.isCauseUnknown !== true || known.has(keyOf(item))) } };
}

/** Adds the period between two passes to removed objects, for which the platform has no time. */
async function withTimes(
  outcome: TargetOutcome,
  remembered: readonly OpenDrift[],
  pass: number | undefined,
  parts: VisitParts,
): Promise<TargetOutcome> {
  const { drift, target } = outcome;
  if (drift === undefined || !drift.items.some(isMissingWithoutTime)) return outcome;
  const query = { target, kinds: ["pass", "skip"], limit: MOST_PASSES } as const;
  const { entries } = await parts.recorder.read((store) => store.history.find(query), { entries: [], next: undefined });
  return { ...outcome, drift: withAbsenceTimes(drift, lastRead(entries, pass), parts.clock.now(), remembered) };
}

/** Separates drift from the changes of the commit, at paths that no administrator touched. */
function withoutCommit(visit: Visit, outcome: TargetOutcome): { readonly outcome: TargetOutcome; readonly changes: readonly DriftItem[] } {
  const { drift } = outcome;
  if (drift === undefined) return { outcome, changes: [] };
  const isDrift = (item: DriftItem) => item.isOfDesired !== true || isNotHealed(visit, { item });
  const items = drift.items.filter(isDrift);
  return { outcome: { ...outcome, drift: { ...drift, items } }, changes: drift.items.filter((item) => !isDrift(item)) };
}

/** Returns the end of a pass while a commit is pending: the target is not in sync, also without drift. */
export function withPendingCommit({ outcome, exitCode, reason }: PassEnd, waiting: Waiting | undefined): Partial<PassEnd> {
  if (waiting === undefined) return {};
  if (outcome !== "in-sync" && outcome !== "pending") return { waiting };
  const words = `${waiting.changes} ${waiting.changes === 1 ? "change" : "changes"} of the commit not applied${waiting.held === undefined ? "" : `: ${waiting.held}`}`;
  return { waiting, outcome: "pending", exitCode: exitCode === 0 ? 2 : exitCode, reason: reason ?? words };
}

/** Returns the end of a pass with the outcome `drifted` if that is its result, so that history, log and metrics agree. */
export function asDrifted(end: PassEnd, result: PassResult): PassEnd {
  return result === "drifted" && end.outcome === "pending" ? { ...end, outcome: "drifted" } : end;
}

/** Returns whether no write of the agent removes the drift: its path is observed or proposed, it is a replaced secret, or an unmanaged rule. */
export function isNotHealed({ context }: Visit, { item }: { readonly item: DriftItem }): boolean {
  if (isRemaining(item.change)) return true;
  return [...context.settings.pathModes.keys()].some((xpath) => parsePath(xpath).contains(item.change.path));
}
