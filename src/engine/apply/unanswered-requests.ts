import { find, shapeAt } from "../../core/tree/lookup.js";
import { parsePath } from "../../core/tree/xpath.js";
import type { Plan } from "../../plan/model.js";
import { printOf } from "../../plan/print.js";
import { sentBy, stillUnanswered, unansweredOn } from "../ledger/unanswered.js";
import type { LedgerRecord } from "../ledger.js";
import { today } from "../pass/context.js";
import { recordOf } from "../pass/planner.js";
import type { ApplySession } from "./apply-session.js";

/**
 * Requests that may be carried out although nobody waits for them any more: those that this run gave up, creates that a run before
 * was cut off at, and those of the last days that the ledger has. What comes of creates is looked for, and goes unless it is wanted.
 */
export function unansweredRequests(session: ApplySession, old: LedgerRecord | undefined): LedgerRecord["unanswered"] {
  const { context, cutOff, target, unanswered } = session;
  const day = today(context);
  const all: Record<string, string> = { ...stillUnanswered(old, day) };
  const add = (path: string, text: string): void => {
    // A delete of what was made before says nothing of that, which may come still.
    all[path] = unansweredOn(text.slice(0, day.length), sentBy(text) ?? sentBy(all[path]));
  };
  for (const path of [...cutOff, ...(target.ids?.unanswered?.() ?? [])]) add(path, day);
  for (const [path, text] of unanswered) add(path, text);
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? undefined : Object.fromEntries(sorted);
}

/** Requests got no reply that write at these places what was there before. */
export function rememberUnansweredAt({ capabilities, context, unanswered }: ApplySession, paths: readonly string[]): void {
  if (capabilities.independentObjects === true) return;
  for (const path of paths) unanswered.set(path, unansweredOn(today(context), undefined));
}

/**
 * A write of this plan got no reply. Where objects bear no mark, what it makes is known by its content; where somebody else's was there
 * before us, only together with who made it.
 */
export function rememberUnanswered({ capabilities, context, ledger, target, touched, unanswered }: ApplySession, { changes }: Plan): void {
  if (capabilities.independentObjects === true) return;
  const rows = recordOf(ledger)?.rows ?? {};
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
