import type { TargetOutcome } from "../outcome/outcome.js";
import { changeView } from "../report/json.js";
import { declaredPlace, keyOf } from "./drift-tracker.js";
import type { KnownDrift, PassFacts } from "./events.js";
import type { VisitParts } from "./visit-parts.js";

/**
 * Reports changes, with their authors, that a commit has overwritten before any pass read them. In the history, each is a drift that ended
 * immediately.
 */
export async function reportOverwritten(facts: PassFacts, { overwritten = [], sources }: TargetOutcome, parts: VisitParts): Promise<void> {
  const { events, recorder, tracker, clock } = parts;
  const { target } = facts;
  const at = clock.now();
  const seen = new Set(tracker.standing(target).map(({ key }) => key));
  const drift = overwritten
    .map((item): KnownDrift => ({ key: keyOf(item), item, firstSeen: at, declaredAt: declaredPlace(item, sources) }))
    .filter(({ key }) => !seen.has(key));
  if (drift.length === 0) return;
  await events.tell({ type: "written-over", ...facts, drift });
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
