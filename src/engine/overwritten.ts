import { find } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { DriftItem, TargetOutcome } from "../outcome/outcome.js";
import { UNKNOWN_ADMIN } from "../plan/diff/change.js";
import { type ApplySession, type ChangedBefore, ourAccounts } from "./apply/apply-session.js";
import { AsLeft } from "./as-left.js";
import type { Planned } from "./pass/planner.js";
import { sideBySide } from "./side-by-side.js";

const MOST_WORDS = 5;

/**
 * Who changed last what a plan is about to write over: we, where it stands as we left it; the target is asked about the rest. How
 * entries stand in a list is not known. Services, which are asked about each object and count our writes as changes of whoever made
 * it, are asked only about what somebody changed since we left it.
 */
export async function changedBefore(session: ApplySession, planned: Planned): Promise<readonly ChangedBefore[]> {
  const { target, context, administrator, capabilities } = session;
  const asLeft = new AsLeft(planned, target.shape, context, administrator);
  const found = await sideBySide(planned.plan.changes, async (change): Promise<readonly ChangedBefore[]> => {
    if (change.kind === "order") return [];
    const node = find(planned.live.candidate, change.path);
    const ask = async (isByHand: boolean) => [{ change, isByHand, attribution: await target.attribution(change.path, node) }];
    if (!asLeft.of(change, undefined).isOfDesired) return await ask(true);
    if (node === undefined || capabilities.independentObjects === true) return [];
    if (!asLeft.isOurs(change) || asLeft.isAnnounced(change)) return await ask(false);
    return [{ change, isByHand: false, attribution: { admin: administrator, time: undefined } }];
  });
  return found.flat();
}

/** Of these, what others changed since we left it. */
export function handChanges(session: ApplySession): readonly DriftItem[] {
  const ours = ourAccounts(session);
  return session.changedBefore.flatMap(({ change, attribution, isByHand }) => {
    // An entry too many that nobody is known for may have stood there when the list was adopted: nobody changed what we left.
    const isByOthers = attribution === undefined ? change.kind !== "extra" : !ours.has(attribution.admin);
    return isByHand && isByOthers ? [{ change, attribution }] : [];
  });
}

/** The same in words, once it was written: a line for what one person did to one entry. */
export function overwrittenWarnings(items: NonNullable<TargetOutcome["overwritten"]>): string[] {
  const lines = new Map<string, string[]>();
  for (const { change, attribution } of items) {
    const entry = nearestEntry(change.path);
    const who = attribution === undefined || attribution.admin === UNKNOWN_ADMIN ? "somebody" : `"${attribution.admin}"`;
    const when = attribution?.time === undefined ? "" : ` at ${attribution.time}`;
    const line = `${who} had changed ${entry.parent?.tag ?? ""} ${entry.name ?? entry.tag}${when}`;
    const fields = lines.get(line) ?? [];
    lines.set(line, change.path.equals(entry) ? fields : [...fields, change.path.tag]);
  }
  const words = [...lines].map(([line, fields]) => `${line}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}: it was written over`);
  return words.length > MOST_WORDS ? [...words.slice(0, MOST_WORDS), `and ${words.length - MOST_WORDS} more changes of others`] : words;
}

/** The entry that a path leads to or into; the path itself outside all entries. */
function nearestEntry(path: Path): Path {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (at.name !== undefined) return at;
  return path;
}
