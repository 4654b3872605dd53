import pLimit from "p-limit";
import { find } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
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
  // An entry too many that nobody is known for may have stood there when the list was adopted: nobody changed what we left.
  return items.filter(({ change, attribution }) => (attribution === undefined ? change.kind !== "extra" : !ours.has(attribution.admin)));
}

/** The same in words, once it was written: a line for what one person did to one entry. */
export function overwrittenWarnings(items: NonNullable<TargetOutcome["overwritten"]>): string[] {
  const lines = new Map<string, string[]>();
  for (const { change, attribution } of items) {
    const entry = nearestEntry(change.path);
    const who = attribution === undefined ? "somebody" : `"${attribution.admin}"`;
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
