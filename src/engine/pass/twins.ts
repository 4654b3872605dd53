import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Finding } from "../../plan/diff/change.js";
import { SHARED_NAME, TWIN } from "../../plan/guards/marks.js";
import type { Capabilities } from "../../plan/platform.js";
import type { LedgerRecord, LedgerState } from "../ledger.js";
import type { TargetContext } from "./context.js";
import type { Planned } from "./planner.js";

interface Twin {
  readonly path: Path;
  readonly entry: TreeNode;
  readonly kind: string;
}

/**
 * The ledger with what a create of ours made a second time, because its reply was lost and it came late: nobody else can have
 * left that, so it is ours, and goes as a row that nobody declares.
 */
export function withHalfMadeTwins(ledger: LedgerState, live: TreeNode, owner: string, capabilities: Capabilities): LedgerState {
  if (ledger.state !== "present" || capabilities.independentObjects !== true) return ledger;
  const paths = twinsOf(live, owner).flatMap(({ path, kind }) => (kind === "half-made" ? path.toString() : []));
  if (paths.length === 0) return ledger;
  const { record } = ledger;
  const made = Object.fromEntries(paths.map((path) => [path, { came: "made" as const }]));
  const all = [...new Set([...record.paths, ...paths])].sort();
  return { ...ledger, record: { ...record, paths: all, rows: { ...made, ...record.rows } } };
}

/** Twins that somebody may use: told on every surface, and deleted by nobody but who says so. */
export function twinsLeft(
  live: TreeNode,
  { owner }: TargetContext,
  record: LedgerRecord | undefined,
  capabilities: Capabilities,
): Finding[] {
  if (capabilities.independentObjects !== true) return [];
  const rows = new Set(record?.paths);
  return twinsOf(live, owner).flatMap(({ path, entry, kind }) => {
    if (rows.has(path.toString()) || (kind === "half-made" && record !== undefined)) return [];
    const message = `It carries our mark as "${entry.attributes?.get(SHARED_NAME)}" does, which is older: a create of ours was done twice, or somebody copied it. It is left alone: delete it by hand once nothing uses it (its id begins as its name ends), or take its mark away.`;
    return [{ kind: "twin", path, message, origin: -1, refuses: false }];
  });
}

/** All that is left to do is to take away what a late create made a second time. */
export function isTwinAlone({ plan, live }: Planned): boolean {
  const isTwin = (path: Path): boolean => find(live.candidate, path)?.attributes?.get(TWIN) === "half-made";
  return plan.changes.length > 0 && plan.changes.every(({ kind, path }) => kind === "extra" && isTwin(path));
}

function twinsOf(live: TreeNode, owner: string): Twin[] {
  const found: Twin[] = [];
  const walkLists = (holder: TreeNode, path: Path): void => {
    for (const list of holder.children)
      for (const entry of list.children) if (entry.name !== undefined) walk(entry, path.child(list.tag).entry(entry.name));
  };
  const walk = (entry: TreeNode, path: Path): void => {
    const kind = entry.attributes?.get(TWIN);
    if (kind === undefined) walkLists(entry, path);
    else if (entry.children.some(({ tag, text }) => tag === "owner" && text === owner)) found.push({ path, entry, kind });
  };
  walkLists(live, Path.root.child(live.tag));
  return found;
}
