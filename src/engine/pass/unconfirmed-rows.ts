import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { Plan, PlanInput } from "../../plan/model.js";
import { ownedPaths } from "../../plan/owned-paths.js";
import { foundOnly, type OwnershipRecord } from "../../plan/ownership-record.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import type { TargetContext } from "./context.js";

/**
 * Returns the ledger rows by which `plan` would delete something although no accepted commit declares them, each with the
 * reason (docs/ownership.md#rows-are-checked). Empty outside git.
 * @param stored The record as the ledger has it, without rows that the run added.
 */
export async function unconfirmedRows(
  plan: Plan,
  input: PlanInput,
  stored: LedgerRecord | undefined,
  context: TargetContext,
): Promise<ReadonlyMap<string, string>> {
  if (input.ledger.state !== "present" || context.checkout.commit === undefined) return new Map();
  // History was rewritten: the guard non-descendant refuses these deletions, unless the user overrides it.
  if (input.descends === false || input.descends === "cut" || context.options.overrides.allowNonDescendant) return new Map();
  const { record } = input.ledger;
  const listed = new Set((stored ?? record).paths);
  // An object of a cloud that the ledger does not list was found by the mark of this owner on the object itself.
  const isMarked = (row: string): boolean => input.capabilities.independentObjects === true && !listed.has(row);
  const candidates = rowsToCheck(plan, record).filter((row) => !isMarked(row));
  const unconfirmed = new Map<string, string>();
  const declared = new Map<string, Declared | string>();
  for (const row of candidates) {
    const named = [record.rows?.[row]?.commit, stored?.commit].filter((commit) => commit !== undefined);
    let why = "it names no commit";
    for (const commit of new Set(named)) {
      const known = declared.get(commit) ?? (await declaredAt(commit, input, context));
      declared.set(commit, known);
      if (typeof known === "string") why = known;
      else if (known.has(row)) why = "";
      else why = `the documents of commit ${commit.slice(0, 12)} do not declare it`;
      if (why === "") break;
    }
    if (why !== "") unconfirmed.set(row, why);
  }
  return unconfirmed;
}

/** Deleted paths that are rows of the ledger. Excludes rows that are already known to belong to others. */
function rowsToCheck({ changes }: Plan, record: OwnershipRecord): string[] {
  const rows = new Set(record.paths);
  const found = foundOnly(record);
  return changes.flatMap(({ kind, path }) => {
    const text = path.toString();
    return kind === "extra" && rows.has(text) && !found.has(text) ? [text] : [];
  });
}

/** The paths that a former desired state owns. */
class Declared {
  readonly #paths: ReadonlySet<string>;
  readonly #openLists: readonly Path[];

  constructor(desired: DesiredTarget | undefined, { candidate, kindGuards, shape }: Pick<PlanInput, "candidate" | "kindGuards" | "shape">) {
    const root = desired === undefined ? undefined : (kindGuards.inWordsOfLive?.(desired.root, candidate) ?? desired.root);
    this.#paths = new Set(root === undefined ? [] : ownedPaths(root, new TreeNode(root.tag), shape, undefined, undefined));
    this.#openLists = desired?.unlisted ?? [];
  }

  /** Entries that a `$forEach` made from live objects cannot be listed again: each entry of such a list counts as declared. */
  has(row: string): boolean {
    if (this.#paths.has(row)) return true;
    const path = parsePath(row);
    return this.#openLists.some((list) => list.contains(path));
  }
}

async function declaredAt(commit: string, input: PlanInput, { name, records: { history } }: TargetContext): Promise<Declared | string> {
  const state = await history.at(commit, name);
  return "why" in state ? state.why : new Declared(state.desired, input);
}
