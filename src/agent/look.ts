import type { PlumblineError } from "../core/errors.js";
import { parsePath } from "../core/tree/xpath.js";
import { driftContexts } from "../engine/reconcile.js";
import type { KnownDrift } from "./events.js";
import { takeMark } from "./stand-still.js";
import { passEnd } from "./store/from-outcome.js";
import { factsOf, passStart, type Visit, type VisitParts } from "./visit-parts.js";

export interface Look {
  readonly error: PlumblineError | undefined;
  /** Everything that differs. */
  readonly drift: readonly KnownDrift[];
  /** What the target's mode lets the agent heal. */
  readonly healable: readonly KnownDrift[];
}

/** A drift pass: what differs, since when, by whom. */
export async function look(visit: Visit, parts: VisitParts): Promise<Look> {
  const { context, target } = visit;
  const { recorder, events, clock, tracker } = parts;
  const start = passStart(visit, "drift", parts);
  const began = clock.monotonic();
  const pass = await recorder.start(start);
  const facts = factsOf(visit, parts, pass);
  await events.tell({ type: "pass-started", ...facts });
  const mark = await takeMark(visit, parts);
  const [outcome] = await driftContexts([context], parts.writers);
  if (outcome === undefined) throw new Error(`no outcome for ${target}`);
  const remembered = await recorder.read((store) => store.drift.open(target), []);
  const drift = outcome.drift === undefined ? tracker.standing(target) : await tracker.see(facts, outcome.drift, clock.now(), remembered);
  const healable = context.configuration.mode === "enforce" ? drift.filter((each) => !isWatched(visit, each)) : [];
  const milliseconds = Math.round(clock.monotonic() - began);
  const isSettled = outcome.error === undefined && healable.length === 0;
  const end = passEnd(outcome, { ended: clock.now(), durations: { total: milliseconds } });
  const stopped = outcome.error?.code === "interrupted" ? ({ outcome: "interrupted" } as const) : {};
  await recorder.finish(pass, start, { ...end, ...stopped, mark: isSettled ? mark : null });
  const result = outcome.error !== undefined ? "failed" : drift.length > 0 ? "drifted" : "in-sync";
  await events.tell({ type: "pass-ended", ...facts, result, milliseconds, outcome, drift, held: visit.state.held });
  return { error: outcome.error, drift, healable };
}

/** It lies below a path that is only observed, or proposed. */
export function isWatched({ context }: Visit, { item }: KnownDrift): boolean {
  return [...context.pathModes.keys()].some((xpath) => parsePath(xpath).contains(item.change.path));
}
