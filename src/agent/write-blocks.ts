import { asPlumblineError } from "../engine/apply/errors.js";
import { pauseOf } from "../engine/notices.js";
import type { HoldReason, KnownDrift } from "./events.js";
import { LONGEST_RETRY } from "./retries.js";
import { commitOf, type Visit, type VisitParts } from "./visit-parts.js";

export interface WriteBlock {
  readonly reason: HoldReason;
  readonly message: string;
  /** Expected end in milliseconds since 1970, if known. */
  readonly until?: number | undefined;
}

/** Maximum age of the notices before a plan, in milliseconds. A run reads them again under its lock, so targets of one wave can share a read. */
const RECENT = 5_000;

/** Returns why the active commit must not be applied now. Undefined if nothing blocks it. `drift` is the drift that would be healed. */
export async function whyCommitWaits(visit: Visit, drift: readonly KnownDrift[], parts: VisitParts): Promise<WriteBlock | undefined> {
  const { target } = visit;
  const barred = await bar(target, parts);
  if (barred !== undefined) return barred;
  if (!parts.hasTurn(target)) return { reason: "rollout", message: "other targets get the commit first" };
  const failed = await waitAfterFailure(visit, parts.clock.now(), parts);
  return failed ?? (await shutOrFought(target, drift, parts));
}

/** Returns why the target must not be written at all. `drift` is the drift that would be healed. */
export async function whyNothingIsWritten(
  { target }: Pick<Visit, "target">,
  drift: readonly KnownDrift[],
  parts: VisitParts,
): Promise<WriteBlock | undefined> {
  return (await bar(target, parts)) ?? (await shutOrFought(target, drift, parts));
}

/** Checks for a store that cannot be written, notices that cannot be read, and a pause. */
async function bar(target: string, { clock, recorder, notices }: VisitParts): Promise<WriteBlock | undefined> {
  const now = clock.now();
  if (!recorder.works) return { reason: "store", message: "the store cannot be written, so nothing is applied" };
  const unreadable = await notices.refresh(RECENT).then(
    () => undefined,
    (error: unknown) => asPlumblineError(error, target).message,
  );
  if (unreadable !== undefined) return { reason: "notices", message: unreadable };
  const pauses = await recorder.read(() => notices.pauses(now), undefined);
  if (pauses === undefined) return { reason: "store", message: "whether the target is paused cannot be read" };
  const pause = pauseOf(pauses, target);
  return pause === undefined ? undefined : { reason: "paused", message: `${pause.by}: ${pause.reason}`, until: pause.until };
}

async function shutOrFought(target: string, drift: readonly KnownDrift[], parts: VisitParts): Promise<WriteBlock | undefined> {
  const { clock, windows } = parts;
  const opening = windows().at(target, clock.now());
  if (!opening.open) return { reason: "window", message: opening.reason, until: opening.until };
  return drift.length === 0 ? undefined : await fight(target, drift, parts);
}

/** Delays a commit after a failed apply. After the last attempt it waits for a new commit. */
async function waitAfterFailure(visit: Visit, now: number, parts: VisitParts): Promise<WriteBlock | undefined> {
  const { recorder } = parts;
  const hold = await recorder.read((store) => store.holds.get(visit.target), undefined);
  if (hold === undefined || hold.commit !== commitOf(visit, parts)) return undefined;
  const { nextTry, reason, attempts } = hold;
  if (nextTry === undefined)
    return { reason: "retries-spent", message: `on hold until the next commit, after ${attempts} attempts: ${reason}` };
  // A longer delay than the longest retry means that the clock was set back.
  const isDue = nextTry <= now || nextTry - now > LONGEST_RETRY;
  return isDue ? undefined : { reason: "retrying", message: reason, until: nextTry };
}

/** Returns a hold if another administrator repeatedly reverts heals. */
async function fight(target: string, drift: readonly KnownDrift[], parts: VisitParts): Promise<WriteBlock | undefined> {
  const { recorder, healGuard, events, clock } = parts;
  const now = clock.now();
  const heals = await recorder.read((store) => store.drift.heals(target, healGuard.since(target, now)), new Map<string, number>());
  const stopped = healGuard.judge(target, drift, heals);
  for (const { drift: each, heals: count, isNew } of stopped) {
    if (!isNew) continue;
    await events.emit({ type: "heal-guard-tripped", target, drift: each, heals: count });
    const path = each.item.change.path.toString();
    const author = each.item.attribution?.admin;
    const summary = `healed ${count} times in an hour and it keeps returning: no longer healed`;
    await recorder.write(
      (store) => store.history.note({ kind: "alarm", at: now, target, path, author, outcome: "heal-guard", summary }),
      0,
    );
  }
  const [first] = stopped;
  if (first === undefined) return undefined;
  const { path } = first.drift.item.change;
  return { reason: "heal-guard", message: `${path} was healed ${first.heals} times in an hour and is back again` };
}

/** Reports the start and the end of a hold. */
export async function reportBlock(visit: Visit, held: WriteBlock | undefined, { events }: VisitParts): Promise<void> {
  const { state, target } = visit;
  const before = state.held;
  state.held = held?.reason;
  if (before === held?.reason) return;
  if (before !== undefined) await events.emit({ type: "released", target, reason: before });
  if (held !== undefined) await events.emit({ type: "held", target, ...held });
}
