import { find, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { printOf } from "../../plan/print.js";
import type { LedgerState } from "../ledger/ledger.js";
import { sentBy, stillUnanswered } from "../ledger/unanswered-requests.js";
import { type TargetContext, today } from "./context.js";

/**
 * Adds objects to the ledger that a create of this owner made after its timeout, on platforms without owner marks. The object must equal
 * the sent one, be at the same path, and have no change by another administrator. The plan then deletes it as an undeclared row.
 */
export function withLateCreates(
  ledger: LedgerState,
  live: TreeNode,
  { context, shape, administrator }: { readonly context: TargetContext; readonly shape: Shape; readonly administrator: string | undefined },
): LedgerState {
  if (ledger.state !== "present") return ledger;
  const { record } = ledger;
  const rows = new Set(record.paths);
  const late = Object.entries(stillUnanswered(record, today(context))).flatMap(([text, unanswered]) => {
    const path = parsePath(text);
    const node = rows.has(text) ? undefined : find(live, path);
    const sent = sentBy(unanswered);
    if (node === undefined || printOf(node, shapeAt(path, shape)) !== sent?.print) return [];
    const makers = administratorsOf(node);
    const isKnown = makers.length > 0 || !sent.wasTheirs;
    if (!isKnown || !makers.every((admin) => admin === administrator)) return [];
    return [[text, { came: "made" as const, ...(sent.commit === undefined ? {} : { commit: sent.commit }) }] as const];
  });
  if (late.length === 0) return ledger;
  const paths = [...record.paths, ...late.map(([path]) => path)].sort();
  return { ...ledger, record: { ...record, paths, rows: { ...record.rows, ...Object.fromEntries(late) } } };
}

/** Administrators who last changed the node or its descendants, as far as the platform reports them. */
function administratorsOf(node: TreeNode): string[] {
  const own = node.attributes?.get("admin");
  return [...(own === undefined ? [] : [own]), ...node.children.flatMap(administratorsOf)];
}
