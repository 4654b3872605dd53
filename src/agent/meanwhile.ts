import { reconcileContexts } from "../engine/reconcile.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { KnownDrift, PassResult, Waiting } from "./events.js";
import { type Look, look, whileWaiting } from "./look.js";
import { reasonNotToWrite } from "./may-write.js";
import { passEnd } from "./store/from-outcome.js";
import { factsOf, passStart, type Visit, type Visited, type VisitParts } from "./visit-parts.js";

/** What keeps a commit back and nothing else. */
const OF_THE_COMMIT: ReadonlySet<Waiting["held"]> = new Set(["failed", "refused", "rollout", "retrying", "retries-spent"]);
/** Each is a commit of its own on the target; the rest comes with the next visit. */
const MOST_HEALS = 10;

/** Looks at a target that did not get its commit: looking never stops. */
export async function lookMeanwhile(visit: Visit, { result }: Visited, parts: VisitParts): Promise<void> {
  const held = heldBy(visit, result);
  await healMeanwhile(visit, await look(visit, parts, held), held, parts);
}

/**
 * What somebody changed and the commit does not touch is healed although that is held, each by itself, where the mode says so and
 * it is the commit alone that is held.
 */
export async function healMeanwhile(
  visit: Visit,
  { healable, waiting, error }: Look,
  held: Waiting["held"],
  parts: VisitParts,
): Promise<void> {
  const { approve } = visit.context.configuration;
  if (waiting === undefined || error !== undefined || approve === "required" || !OF_THE_COMMIT.has(held)) return;
  const untouched = healable.filter(({ item }) => item.isWantedAsLeft === true).slice(0, MOST_HEALS);
  for (const drift of untouched) {
    if ((await reasonNotToWrite(visit, [drift], parts)) !== undefined) continue;
    if (!(await heal(visit, drift, { ...waiting, held }, parts))) return;
  }
}

/** What a commit waits for that a visit did not bring. */
export function heldBy({ state }: Visit, result: PassResult): Waiting["held"] {
  return state.held ?? (result === "failed" ? "failed" : undefined);
}

/** Puts one drift right and writes nothing else. False where the next need not be tried. */
async function heal(visit: Visit, drift: KnownDrift, waiting: Waiting, parts: VisitParts): Promise<boolean> {
  const { recorder, clock, events, tracker } = parts;
  const { path, kind } = drift.item.change;
  const context = { ...visit.context, options: { ...visit.context.options, only: path } };
  const start = passStart(visit, "reconcile", parts);
  const began = clock.monotonic();
  const pass = await recorder.start(start);
  if (pass === undefined) return false;
  const facts = factsOf(visit, parts, pass);
  await events.tell({ type: "pass-started", ...facts });
  const [outcome] = await reconcileContexts([context], parts.write, parts.writers);
  if (outcome === undefined) throw new Error(`no outcome for ${visit.target}`);
  const { applied, writes, plan, error } = outcome;
  const result = resultOf(outcome);
  if (applied !== undefined && result === "applied")
    await events.tell({ type: "applied", ...facts, digest: plan?.digest ?? "", applied, heals: 1 });
  if (error === undefined) await tracker.healed(facts, ({ key }) => key === drift.key);
  const milliseconds = Math.round(clock.monotonic() - began);
  const end = passEnd(outcome, { ended: clock.now(), durations: { total: milliseconds }, only: path.toString() });
  const heals = result === "applied" || writes === "stored" ? [{ path: path.toString(), change: kind }] : [];
  await recorder.finish(pass, start, { ...end, ...whileWaiting(end, waiting), heals, mark: null });
  const standing = tracker.standing(visit.target);
  await events.tell({ type: "pass-ended", ...facts, result, milliseconds, outcome, drift: standing, waiting });
  return error === undefined || error.severity === "refused";
}

function resultOf({ applied, error }: TargetOutcome): PassResult {
  if (error !== undefined) return error.severity === "refused" ? "refused" : "failed";
  // What somebody put right themselves meanwhile leaves the commit to wait.
  return (applied?.operations ?? 0) > 0 || applied?.commit === "committed" ? "applied" : "pending";
}
