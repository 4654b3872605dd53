import { find, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { Change } from "../../plan/diff/change.js";
import { foundOnly, type OwnershipRow } from "../../plan/ownership-record.js";
import { printOf } from "../../plan/print.js";
import type { LedgerRecord } from "./ledger.js";

export type Rows = Readonly<Record<string, OwnershipRow>>;

/** The run that writes, and its commit of the desired state. */
interface Writer {
  readonly run: string;
  readonly commit: string | undefined;
}

/** Paths at, inside or above the places of changes. Excludes changes of order. */
export class Touched {
  readonly #at = new Map<string, Change>();
  readonly #above = new Set<string>();

  constructor(changes: readonly Change[]) {
    for (const change of changes) {
      if (change.kind === "order") continue;
      this.#at.set(change.path.toString(), change);
      for (let at: Path | undefined = change.path; at !== undefined; at = at.parent) this.#above.add(at.toString());
    }
  }

  has(path: Path): boolean {
    if (this.#at.size === 0) return false;
    for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (this.#at.has(at.toString())) return true;
    return this.#above.has(path.toString());
  }

  /** Those of `paths` at, inside or above a change. */
  among(paths: readonly string[]): string[] {
    return this.#at.size === 0 ? [] : paths.filter((path) => this.has(parsePath(path)));
  }

  /** The path that an entry had before it was renamed. */
  before(path: Path): Path {
    const change = this.#at.get(path.toString());
    return change?.kind === "renamed" ? (path.parent ?? path).entry(change.from, path.tag) : path;
  }
}

/**
 * Origin of the rows that a plan is about to add to the ledger: paths of `owned` that the ledger lacks, rows that were only found and that
 * the plan creates again, and objects that `others` created in the meantime.
 */
export function rowsBefore(
  owned: readonly string[],
  touched: Touched,
  live: TreeNode,
  old: LedgerRecord | undefined,
  others: ReadonlySet<string> = new Set(),
): Rows {
  const known = new Set(old?.paths);
  const found = old === undefined ? new Set<string>() : foundOnly(old);
  const rows: Record<string, OwnershipRow> = {};
  for (const text of owned) {
    if (others.has(text)) {
      rows[text] = { came: "changed" };
      continue;
    }
    if (known.has(text) && !found.has(text)) continue;
    const path = parsePath(text);
    const former = touched.before(path);
    if (known.has(text)) {
      const id = old?.rows?.[text]?.id;
      // A part of the target that was not read is missing from `live`, too.
      const isCreated = touched.has(path) && find(live, former) === undefined;
      if (isCreated) rows[text] = { came: "made", ...(id === undefined ? {} : { id }) };
      continue;
    }
    const was = old?.rows?.[former.toString()];
    if (was?.came !== undefined) rows[text] = { came: was.came };
    else rows[text] = { came: find(live, former) === undefined ? "made" : touched.has(path) ? "changed" : "equal" };
  }
  return rows;
}

/**
 * Rows of objects that a plan deletes, without their content. If a run is aborted between the deletes of an object, the rest must not count
 * as another administrator's change. A candidate has no partly deleted objects.
 */
export function rowsGoing(changes: readonly Change[], old: LedgerRecord | undefined): Rows {
  const rows: Record<string, OwnershipRow> = {};
  for (const change of changes) {
    const row = change.kind === "extra" ? old?.rows?.[change.path.toString()] : undefined;
    if (row?.print === undefined) continue;
    const { print: _, ...others } = row;
    rows[change.path.toString()] = others;
  }
  return rows;
}

/** Facts about rows after the target was read back. */
export interface Proof {
  readonly live: TreeNode;
  readonly shape: Shape;
  /** Paths that this run wrote at, and whether something was there before. */
  readonly written: ReadonlyMap<string, boolean>;
  /** The content of every row may have changed since the ledger was written, also by others in line with the documents. */
  readonly looksAgain: boolean;
  /** The part that was read, if not everything. Rows elsewhere are unchanged. */
  readonly only: Path | undefined;
  readonly writer: Writer;
  readonly idOf: (path: Path) => string | undefined;
}

/**
 * Rows of these paths with the current content. Rows that were only found become ours if this run wrote them. If another run announced a
 * change that we did not write, the origin stays unclear.
 */
export function rowsAfter(paths: readonly string[], old: LedgerRecord | undefined, proof: Proof): Rows {
  const known = new Set(old?.paths);
  const found = old === undefined ? new Set<string>() : foundOnly(old);
  const rows: Record<string, OwnershipRow> = {};
  for (const path of paths) {
    const row: OwnershipRow = old?.rows?.[path] ?? (known.has(path) ? {} : { came: "equal" });
    const wasThere = proof.written.get(path);
    const isDue = isIn(path, proof) && (proof.looksAgain || wasThere !== undefined || row.print === undefined);
    const withOrigin = found.has(path) ? { ...row, came: originAfter(row, wasThere) } : row;
    rows[path] = isDue ? renewed(path, withOrigin, proof) : withOrigin;
  }
  return rows;
}

/** Rows of `paths`, with the origin `adopted` for those in `meant`. */
export function adoptedRows(meant: readonly string[], paths: readonly string[], old: LedgerRecord | undefined, proof: Proof): Rows {
  const rows: Record<string, OwnershipRow> = { ...rowsAfter(paths, old, proof) };
  const found = old === undefined ? new Set<string>() : foundOnly(old);
  const known = new Set(old?.paths);
  for (const path of meant) if (isIn(path, proof) && (found.has(path) || !known.has(path))) rows[path] = { ...rows[path], came: "adopted" };
  return rows;
}

function isIn(path: string, { only }: Proof): boolean {
  return only === undefined || only.contains(parsePath(path));
}

/** Origin of a row that was only found: depends on whether this run wrote it and an object was there before. */
function originAfter({ came }: OwnershipRow, wasThere: boolean | undefined): OwnershipRow["came"] {
  if (wasThere === undefined) return came === "changed" ? "unclear" : came;
  return wasThere ? "changed" : "made";
}

function renewed(text: string, row: OwnershipRow, { live, shape, writer, idOf }: Proof): OwnershipRow {
  const path = parsePath(text);
  const node = find(live, path);
  if (node === undefined) return row;
  const print = printOf(node, shapeAt(path, shape));
  const id = idOf(path) ?? row.id;
  if (print === row.print && id === row.id) return row;
  const { run, commit } = writer;
  const came = row.came === undefined ? {} : { came: row.came };
  return { ...came, print, ...(id === undefined ? {} : { id }), run, ...(commit === undefined ? {} : { commit }) };
}
