import { find } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { DriftItem, TargetOutcome } from "../outcome/outcome.js";
import { formatTime, UNKNOWN_ADMIN } from "../plan/diff/change.js";
import { type ChangedBefore, type LedgerSession, ourAccounts, type TargetSession } from "./apply/apply-session.js";
import { boundedMap } from "./bounded-map.js";
import { DriftCauses } from "./drift-cause.js";
import type { Planned } from "./pass/planner.js";

const MOST_WORDS = 5;

/**
 * Returns the last author of each node that the plan overwrites: this account if the content is as a run left it, else the author that the
 * target reports. The ledger does not know the order of lists. Services count our writes as changes of the creator, so they are queried
 * only for objects that have changed.
 */
export async function changedBefore(session: TargetSession, planned: Planned): Promise<readonly ChangedBefore[]> {
  const {
    target,
    context,
    facts: { administrator, capabilities },
  } = session;
  const asLeft = new DriftCauses(planned, target.shape, context, administrator);
  const found = await boundedMap(planned.plan.changes, async (change): Promise<readonly ChangedBefore[]> => {
    if (change.kind === "order") return [];
    const node = find(planned.live.candidate, change.path);
    const rowsOf = async (evidence: ChangedBefore["evidence"]) => [
      { change, evidence, attribution: await target.attribution(change.path, node) },
    ];
    if (!asLeft.of(change, undefined).isOfDesired) return await rowsOf(asLeft.evidenceOf(change));
    if (node === undefined || capabilities.independentObjects === true) return [];
    if (!asLeft.isByOwnAccount(change) || asLeft.isAnnounced(change)) return await rowsOf("none");
    return [{ change, evidence: "none", attribution: { admin: administrator, time: undefined } }];
  });
  return found.flat();
}

/** Returns the changes that another administrator made, as far as there is evidence for it. An unknown author is none. */
export function changesByAdministrators(session: LedgerSession): readonly DriftItem[] {
  const accounts = ourAccounts(session);
  return session.progress.changedBefore.flatMap(({ change, attribution, evidence }) => {
    const author = attribution?.admin === UNKNOWN_ADMIN ? undefined : attribution?.admin;
    // An extra entry without a known author may have existed before the list was adopted.
    const isByOthers =
      author === undefined ? evidence === "content" && change.kind !== "extra" : evidence !== "none" && !accounts.has(author);
    return isByOthers ? [{ change, attribution }] : [];
  });
}

/** Returns one line for the changes of one administrator to one entry, once the run has overwritten them. */
export function overwrittenWarnings(items: NonNullable<TargetOutcome["overwritten"]>): string[] {
  const lines = new Map<string, { readonly what: string; readonly author: string; readonly fields: string[] }>();
  for (const { change, attribution } of items) {
    const entry = nearestEntry(change.path);
    const what = `${entry.parent?.tag ?? ""} ${entry.name ?? entry.tag}`;
    const by = attribution === undefined || attribution.admin === UNKNOWN_ADMIN ? "" : ` by "${attribution.admin}"`;
    const author = `${by}${formatTime(attribution?.time)}`;
    const line = lines.get(what + author) ?? { what, author, fields: [] };
    lines.set(what + author, line);
    if (!change.path.equals(entry)) line.fields.push(change.path.tag);
  }
  const words = [...lines.values()].map(
    ({ what, author, fields }) => `overwrote a manual change to ${what}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}${author}`,
  );
  return words.length > MOST_WORDS ? [...words.slice(0, MOST_WORDS), `overwrote ${words.length - MOST_WORDS} more manual changes`] : words;
}

/** The entry that a path leads to or into; the path itself outside all entries. */
function nearestEntry(path: Path): Path {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (at.name !== undefined) return at;
  return path;
}
