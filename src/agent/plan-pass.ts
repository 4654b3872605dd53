import { planContexts } from "../engine/reconcile.js";
import { isInSync, refusalsIn } from "../outcome/in-sync.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { PassResult } from "./events.js";
import { passEnd } from "./store/from-outcome.js";
import { factsOf, passStart, type Visit, type VisitParts } from "./visit-parts.js";

/** Plans at the request of a user, without writing to the target. The plan is kept in the store. */
export async function planPass(visit: Visit, parts: VisitParts): Promise<void> {
  const { context, target } = visit;
  const { recorder, events, clock, tracker, writers } = parts;
  const start = passStart(visit, "plan", parts);
  const began = clock.monotonic();
  const pass = await recorder.start(start);
  const facts = factsOf(visit, parts, pass);
  await events.tell({ type: "pass-started", ...facts });
  const [outcome] = await planContexts([context], writers);
  if (outcome === undefined) throw new Error(`no outcome for ${target}`);
  const milliseconds = Math.round(clock.monotonic() - began);
  const end = passEnd(outcome, { ended: clock.now(), durations: { total: milliseconds } });
  // A refused plan does not fail the pass, because nothing was to be written.
  await recorder.finish(pass, start, end);
  const drift = tracker.standing(target);
  const result = resultOf(outcome, drift.length > 0);
  await events.tell({ type: "pass-ended", ...facts, result, milliseconds, outcome, drift });
}

function resultOf(outcome: TargetOutcome, isDrifted: boolean): PassResult {
  if (outcome.error !== undefined) return "failed";
  if (isDrifted) return "drifted";
  if (isInSync(outcome)) return "in-sync";
  return refusalsIn(outcome).length > 0 ? "refused" : "pending";
}
