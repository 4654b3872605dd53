import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath.js";
import { isOfPath } from "../desired/assertions.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import { subtreesOf } from "../engine/live.js";
import { assertedSubtrees } from "../engine/pass/asserted.js";
import type { TargetContext } from "../engine/pass/context.js";
import { recordOf } from "../engine/pass/planner.js";
import type { ReadTarget } from "../engine/target.js";
import type { Mark } from "./store/store.js";
import { factsOf, passStart, sinceOf, type Visit, type Visited, type VisitParts } from "./visit-parts.js";

const DAY = 86_400_000;

/** Of a look at a target that stands still. */
export const STOOD_STILL: Visited = { result: "skipped", wave: "done" };

/**
 * Whether nothing has moved since the last full pass: not what git says of the target, no value that it refers to, not
 * the program, no date, and not a byte of what the device would send. Writes such a skipped pass down.
 */
export async function standsStill(visit: Pick<Visit, "target" | "trigger" | "state">, parts: VisitParts): Promise<boolean> {
  const { target, state } = visit;
  const { recorder, events, clock, settings, tracker, quietly } = parts;
  const { known } = state;
  const since = sinceOf(target, parts);
  if (known === undefined || known.since !== since) return false;
  const mark = quietly === undefined ? await recorder.read((store) => store.marks.get(target), undefined) : quietly.mark;
  if (mark === undefined || !holds(mark, since, settings().skipPasses, parts)) return false;
  const started = clock.now();
  if (mark.inputs !== (await parts.contexts.inputs(target).catch(() => undefined))) return false;
  if (mark.live !== (await digestOf(known.configuration, known.subtrees, parts))) return false;
  const begun = { ...passStart(visit, "drift", parts), started };
  const ended = clock.now();
  const end = { ended, outcome: "skipped", exitCode: 0, reason: "nothing moved", durations: { digest: ended - started } } as const;
  const next = { ...mark, skips: mark.skips + 1 };
  const isWritten = quietly !== undefined && (await quietly.end({ start: begun, end, mark: next }, STOOD_STILL));
  if (!isWritten) await recorder.finish(undefined, begun, { ...end, mark: next });
  const facts = factsOf(visit, parts, undefined);
  const drift = tracker.standing(target);
  await events.tell({ type: "pass-ended", ...facts, result: "skipped", milliseconds: ended - started, outcome: undefined, drift });
  return true;
}

function holds(mark: Mark, since: string, most: number, { version, clock }: VisitParts): boolean {
  const isOver = mark.until !== undefined && dayOf(clock.now()) >= mark.until;
  return mark.commit === since && mark.version === version && mark.skips < most && !isOver;
}

/** What must stay as it is for the next passes to be skipped: taken before a full pass, valid if that finds nothing to do. */
export async function takeMark(visit: Visit, parts: VisitParts): Promise<Mark | null> {
  const { target, context, state, since } = visit;
  const index = parts.source.inForce?.targets.get(target);
  if (index === undefined || since === undefined || parts.settings().skipPasses === 0) return null;
  // What others change can turn a path, and is in no digest of this target.
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

/** All that a full pass reads: with assertions that is every place that they ask of, whoever wrote there. */
async function readSubtrees(context: TargetContext): Promise<readonly Path[]> {
  const { ledger, owner, name, desired } = context;
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

/** yyyy-mm-dd in UTC. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
