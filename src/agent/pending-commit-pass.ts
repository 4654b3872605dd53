import { reconcileContexts } from "../engine/reconcile.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { type DriftPass, runDriftPass, withPendingCommit } from "./drift-pass.js";
import type { KnownDrift, PassResult, Waiting } from "./events.js";
import { isUnchanged } from "./skip-unchanged.js";
import { passEnd } from "./store/from-outcome.js";
import { factsOf, passStart, type Visit, type Visited, type VisitParts } from "./visit-parts.js";
import { whyNothingIsWritten } from "./write-blocks.js";

/** Reasons that block only the commit. */
const OF_THE_COMMIT: ReadonlySet<Waiting["held"]> = new Set(["failed", "refused", "rollout", "retrying", "retries-spent"]);
/** Maximum number of heals per visit. Each is a separate commit on the target. */
const MOST_HEALS = 10;

/** Runs a drift pass for a target that did not get its commit. Returns whether the target has it now, because another run applied it. */
export async function compareWhilePending(visit: Visit, { result }: Visited, parts: VisitParts): Promise<boolean> {
  const held = pendingReason(visit, result);
  if (visit.trigger === "timer" && result === "held" && (await isUnchanged(visit, parts, { isHeld: true }))) return false;
  const pass = await runDriftPass(visit, parts, held);
  await healWhilePending(visit, pass, held, parts);
  return pass.isInSync;
}

/**
 * Heals manual changes while the commit is on hold, one at a time. Only drift that the commit does not touch is healed, only if the mode
 * permits it, and only if the hold concerns just the commit.
 */
export async function healWhilePending(
  visit: Visit,
  { healable, waiting, error }: DriftPass,
  held: Waiting["held"],
  parts: VisitParts,
): Promise<void> {
  const { approve } = visit.context.configuration;
  if (waiting === undefined || error !== undefined || approve === "required" || !OF_THE_COMMIT.has(held)) return;
  const untouched = healable.filter(({ item }) => item.isWantedAsLeft === true).slice(0, MOST_HEALS);
  for (const drift of untouched) {
    if ((await whyNothingIsWritten(visit, [drift], parts)) !== undefined) continue;
    if (!(await heal(visit, drift, { ...waiting, held }, parts))) return;
  }
}

/** Returns why the commit is still pending after a visit. */
export function pendingReason({ state }: Visit, result: PassResult): Waiting["held"] {
  return state.held ?? (result === "failed" ? "failed" : undefined);
}

/** Heals one drift and writes nothing else. Returns false if later heals should not be tried. */
async function heal(visit: Visit, drift: KnownDrift, waiting: Waiting, parts: VisitParts): Promise<boolean> {
  const { recorder, clock, events, tracker } = parts;
  const { path, kind } = drift.item.change;
  const context = {
    ...visit.context,
    options: { ...visit.context.options, selection: { ...visit.context.options.selection, only: path } },
  };
  const start = passStart(visit, "reconcile", parts);
  const began = clock.monotonic();
  const pass = await recorder.start(start);
  if (pass === undefined) return false;
  const facts = factsOf(visit, parts, pass);
  await events.emit({ type: "pass-started", ...facts });
  const [outcome] = await reconcileContexts([context], parts.write, parts.writers);
  if (outcome === undefined) throw new Error(`no outcome for ${visit.target}`);
  const { applied, writes, plan, error } = outcome;
  const result = resultOf(outcome);
  if (applied !== undefined && result === "applied")
    await events.emit({ type: "applied", ...facts, digest: plan?.digest ?? "", applied, heals: 1 });
  if (error === undefined) await tracker.healed(facts, ({ key }) => key === drift.key);
  const milliseconds = Math.round(clock.monotonic() - began);
  const end = passEnd(outcome, { ended: clock.now(), durations: { total: milliseconds }, only: path.toString() });
  const heals = result === "applied" || writes === "stored" ? [{ path: path.toString(), change: kind }] : [];
  await recorder.finish(pass, start, { ...end, ...withPendingCommit(end, waiting), heals, mark: null });
  const openDrift = tracker.openOf(visit.target);
  await events.emit({ type: "pass-ended", ...facts, result, milliseconds, outcome, drift: openDrift, waiting });
  return error === undefined || error.severity === "refused";
}

function resultOf({ applied, error }: TargetOutcome): PassResult {
  if (error !== undefined) return error.severity === "refused" ? "refused" : "failed";
  // An administrator may have reverted the change in the meantime. The commit is still pending.
  return (applied?.operations ?? 0) > 0 || applied?.commit === "committed" ? "applied" : "pending";
}
