import pLimit from "p-limit";
import { find } from "../core/tree/lookup.js";
import type { DriftItem, TargetOutcome } from "../outcome/outcome.js";
import type { ApplySession } from "./apply/apply-session.js";
import { AsLeft } from "./as-left.js";
import type { Planned } from "./pass/planner.js";

/** Firewalls bear five calls at a time. */
const CONCURRENCY = 5;
const MOST_WORDS = 5;

/** What a plan is about to write over that others changed since we left it, with who it was. How entries stand in a list is not known. */
export async function handChanges({ target, context, administrator }: ApplySession, planned: Planned): Promise<readonly DriftItem[]> {
  const asLeft = new AsLeft(planned, target.shape, context, administrator);
  const ours = new Set([administrator, ...context.administrators]);
  const limit = pLimit(CONCURRENCY);
  const changed = planned.plan.changes.filter((change) => change.kind !== "order" && !asLeft.of(change, undefined).isOfDesired);
  const items = await Promise.all(
    changed.map((change) =>
      limit(async () => ({ change, attribution: await target.attribution(change.path, find(planned.live.candidate, change.path)) })),
    ),
  );
  return items.filter(({ attribution }) => attribution === undefined || !ours.has(attribution.admin));
}

/** The same in words, once it was written. */
export function overwrittenWarnings(items: NonNullable<TargetOutcome["overwritten"]>): string[] {
  const words = items.slice(0, MOST_WORDS).map(({ change, attribution }) => {
    const who = attribution === undefined ? "somebody" : `"${attribution.admin}"`;
    const when = attribution?.time === undefined ? "" : ` at ${attribution.time}`;
    return `${who} had changed ${change.path}${when} since we left it: it was written over`;
  });
  return items.length > MOST_WORDS ? [...words, `and ${items.length - MOST_WORDS} more changes of others were written over`] : words;
}
