import { find, shapeAt } from "../../core/tree/lookup.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { Plan } from "../../plan/model.js";
import { printOf } from "../../plan/print.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import { sentBy, stillUnanswered, unansweredOn } from "../ledger/unanswered-requests.js";
import { today } from "../pass/context.js";
import { recordOf } from "../pass/planner.js";
import type { LedgerSession } from "./apply-session.js";

/**
 * Returns requests that may still be executed although no run waits for them: requests that this run gave up, creates at which an earlier
 * run was cut off, and recent ones from the ledger. Later runs look for the resulting objects and delete them unless they are declared.
 */
export function unansweredRequests(session: LedgerSession, old: LedgerRecord | undefined): LedgerRecord["unanswered"] {
  const {
    context,
    target,
    ledger: { cutOff, unanswered, unmarked },
  } = session;
  const day = today(context);
  // An expired create stays as long as its place has an object without a mark. A run with `--path` has not read all places.
  const remaining = Object.entries(old?.unanswered ?? {}).filter(
    ([path]) => context.options.selection.only !== undefined || unmarked.has(path),
  );
  const all: Record<string, string> = { ...stillUnanswered(old, day), ...Object.fromEntries(remaining) };
  const add = (path: string, text: string): void => {
    // An earlier create may still be executed after a later delete.
    all[path] = unansweredOn(text.slice(0, day.length), sentBy(text) ?? sentBy(all[path]));
  };
  for (const path of [...cutOff, ...(target.ids?.unanswered?.() ?? [])]) add(path, day);
  for (const [path, text] of unanswered) add(path, text);
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? undefined : Object.fromEntries(sorted);
}

/** Remembers requests without a reply that restore former objects at these places. */
export function rememberUnansweredAt(
  { context, facts: { capabilities }, ledger: { unanswered } }: LedgerSession,
  paths: readonly string[],
): void {
  if (capabilities.independentObjects === true) return;
  for (const path of paths) unanswered.set(path, unansweredOn(today(context), undefined));
}

/**
 * Remembers the paths of a plan whose write got no reply. If objects have no marks, an object that we created is recognized by its content.
 * If it replaced an object of another owner, its author must match too.
 */
export function rememberUnanswered(
  { context, target, facts: { capabilities }, ledger: { current, touched, unanswered } }: LedgerSession,
  { changes }: Plan,
): void {
  if (capabilities.independentObjects === true) return;
  const rows = recordOf(current)?.rows ?? {};
  for (const text of new Set([...touched.keys(), ...changes.map(({ path }) => path.toString())])) {
    const path = parsePath(text);
    const came = rows[text]?.came;
    const made = came === "made" || came === "changed" ? find(context.desired.root, path) : undefined;
    const sent =
      made === undefined
        ? undefined
        : { print: printOf(made, shapeAt(path, target.shape)), wasTheirs: came === "changed", commit: context.checkout.commit };
    unanswered.set(text, unansweredOn(today(context), sent));
  }
}
