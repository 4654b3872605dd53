import { dayOf } from "../core/day.js";
import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import { isOfPath } from "../desired/assertions.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import { subtreesOf } from "../engine/live.js";
import type { TargetContext } from "../engine/pass/context.js";
import { assertedSubtrees } from "../engine/pass/plan-assertions.js";
import { recordOf } from "../engine/pass/planner.js";
import type { ReadTarget } from "../engine/target.js";
import type { Mark } from "./store/store.js";
import { factsOf, passStart, sinceOf, type Visit, type Visited, type VisitParts } from "./visit-parts.js";

const DAY = 86_400_000;

/** Result of a visit without any change. */
export const UNCHANGED: Visited = { result: "skipped", wave: "done" };

/** Returns the mark of a pass whose commit was on hold. Only a visit that finds the commit still on hold may skip because of it. */
export function whileHeld(mark: Mark): Mark {
  return { ...mark, commit: heldCommit(mark.commit) };
}

function heldCommit(commit: string | undefined): string {
  return `on hold: ${commit}`;
}

/**
 * Returns whether nothing has changed since the last full pass: the declared target, the values that it refers to, the program, the date,
 * and the data of the device. Records the pass as skipped in this case. `isHeld`: the commit is on hold, as it was in that pass.
 */
export async function isUnchanged(
  visit: Pick<Visit, "target" | "trigger" | "state">,
  parts: VisitParts,
  { isHeld = false } = {},
): Promise<boolean> {
  const { target, state } = visit;
  const { recorder, events, clock, settings, tracker } = parts;
  const { known } = state;
  const since = sinceOf(target, parts);
  if (known === undefined || known.since !== since) return false;
  const mark = await recorder.read((store) => store.marks.get(target), undefined);
  if (mark === undefined || !holds(mark, isHeld ? heldCommit(since) : since, settings().skipPasses, parts)) return false;
  const started = clock.now();
  if (mark.inputs !== (await parts.contexts.inputs(target).catch(() => undefined))) return false;
  if (mark.live !== (await digestOf(known.configuration, known.subtrees, parts))) return false;
  const begun = { ...passStart(visit, "drift", parts), started };
  const ended = clock.now();
  const end = { ended, outcome: "skipped", exitCode: 0, reason: "nothing moved", durations: { digest: ended - started } } as const;
  await recorder.finish(undefined, begun, { ...end, mark: { ...mark, skips: mark.skips + 1 } });
  const facts = factsOf(visit, parts, undefined);
  const drift = tracker.openOf(target);
  await events.emit({ type: "pass-ended", ...facts, result: "skipped", milliseconds: ended - started, outcome: undefined, drift });
  return true;
}

function holds(mark: Mark, since: string, most: number, { version, clock }: VisitParts): boolean {
  const isOver = mark.until !== undefined && dayOf(clock.now()) >= mark.until;
  return mark.commit === since && mark.version === version && mark.skips < most && !isOver;
}

/**
 * Returns the state that must not change for the next passes to be skipped. It is read before a full pass and is valid if that pass finds
 * no work.
 */
export async function readMark(visit: Visit, parts: VisitParts): Promise<Mark | null> {
  const { target, context, state, since } = visit;
  const index = parts.source.inForce?.targets.get(target);
  if (index === undefined || since === undefined || parts.settings().skipPasses === 0) return null;
  // Changes on other targets can alter a path, and no digest of this target contains them.
  if (context.desired.assertions?.some(isOfPath) === true) return null;
  const subtrees = await readSubtrees(context);
  state.known = { since, subtrees, configuration: context.configuration };
  const [inputs, live] = await Promise.all([
    parts.contexts.inputs(target).catch(() => undefined),
    digestOf(context.configuration, subtrees, parts),
  ]);
  if (inputs === undefined || live === undefined) return null;
  const today = dayOf(parts.clock.now());
  const last = index.ignores.find(({ until: day }) => day >= today)?.until;
  const until = last === undefined ? undefined : dayOf(Date.parse(`${last}T00:00:00Z`) + DAY);
  return { target, commit: since, inputs, live, version: parts.version, skips: 0, until };
}

/**
 * Returns the subtrees that a full pass reads. With assertions, these include all subtrees that the assertions need, regardless of their
 * owner.
 */
async function readSubtrees(context: TargetContext): Promise<readonly Path[]> {
  const {
    owner,
    name,
    desired,
    records: { ledger },
  } = context;
  const rows = recordOf(await ledger.read(owner, name))?.paths ?? [];
  const own = subtreesOf(
    desired,
    rows.map((row) => parsePath(row)),
    undefined,
  );
  const judged = await assertedSubtrees(context);
  return [...own.filter((path) => !judged.some((each) => each.contains(path))), ...judged];
}

async function digestOf(
  configuration: TargetConfiguration,
  subtrees: readonly Path[],
  { writers }: VisitParts,
): Promise<string | undefined> {
  let reader: ReadTarget | undefined;
  try {
    reader = await writers.reader(configuration);
    const { digests } = reader;
    if (digests === undefined) return undefined;
    const { pending } = await reader.open();
    return await digests.digest(subtrees, pending);
  } catch {
    return undefined;
  } finally {
    await reader?.close().catch(() => undefined);
  }
}
