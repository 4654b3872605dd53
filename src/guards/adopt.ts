import { childAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { markTag, ownerOf, SHARED_NAME } from "../core/tree/owner-mark.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { PlanInput, Refusal } from "../plan/model.js";
import type { OwnershipRecord } from "../plan/ownership-record.js";
import type { GuardContext } from "./context.js";

/**
 * Refuses changes to objects without this owner's mark (docs/ownership.md#marks). Objects of another owner are never touched. An unmarked
 * object is adopted only with `$adopt: true`, or if the ledger lists it with the same id or without one. If several objects share a wanted
 * name, no further one is created.
 */
export function refuseUnmarked(context: GuardContext): Refusal[] {
  const { owner, ledger } = context.input;
  if (owner === undefined) return [];
  const rows = new KnownRows(ledger.state === "present" ? ledger.record : undefined, context.input.idOf);
  const refusals = new Map<string, Refusal>();
  const names = new SharedNames();
  for (const { path } of context.changes) {
    for (const marked of markedEntries(context, path)) {
      const key = marked.path.toString();
      if (refusals.has(key) || isPartOfManaged(marked, path, rows)) continue;
      const message = refusalOf(marked, owner, rows, names);
      if (message !== undefined) refusals.set(key, { guard: "adopt", path: marked.path, allow: undefined, message });
    }
  }
  return [...refusals.values()];
}

/** Objects that the ledger lists. */
class KnownRows {
  readonly #paths: ReadonlySet<string>;
  readonly #announced: ReadonlySet<string>;
  readonly #rows: NonNullable<OwnershipRecord["rows"]>;
  readonly #idOf: NonNullable<PlanInput["idOf"]>;

  constructor(record: OwnershipRecord | undefined, idOf: PlanInput["idOf"]) {
    this.#paths = new Set(record?.paths);
    this.#announced = new Set(record?.announced);
    this.#rows = record?.rows ?? {};
    this.#idOf = idOf ?? (() => undefined);
  }

  /** An announced object may never have been created, unless its create returned an id. */
  has(path: Path): boolean {
    const text = path.toString();
    return this.#paths.has(text) && (!this.#announced.has(text) || this.#rows[text]?.id !== undefined);
  }

  /**
   * Returns the id of the former object if another object has the name now, because someone created it after the former one was deleted.
   */
  idBefore(path: Path): string | undefined {
    const before = this.#rows[path.toString()]?.id;
    const now = before === undefined ? undefined : this.#idOf(path);
    return now === undefined || now === before ? undefined : before;
  }
}

interface MarkedEntry {
  readonly path: Path;
  readonly tag: string;
  readonly list: TreeNode | undefined;
  readonly live: TreeNode | undefined;
  readonly desired: DesiredNode | undefined;
}

/** Returns whether the change removes a part that Plumbline put into another owner's object. The object itself stays. */
function isPartOfManaged({ path, desired }: MarkedEntry, change: Path, rows: KnownRows): boolean {
  return desired === undefined && change.depth > path.depth && rows.has(change);
}

function refusalOf(
  { path, tag, list, live, desired }: MarkedEntry,
  owner: string,
  rows: KnownRows,
  names: SharedNames,
): string | undefined {
  const name = path.name ?? "";
  if (live === undefined) {
    const others = list === undefined ? [] : names.of(list, name);
    if (others.length === 0) return undefined;
    return `${others.length} objects are named "${name}" and have no ownership mark (${others.slice(0, 3).join(", ")}). Declare the right one by the name shown here, with $adopt: true.`;
  }
  const mark = ownerOf(live, tag);
  if (mark === owner || desired?.prunes === false) return undefined;
  if (mark !== undefined) return `The object has the ownership mark of "${mark}".`;
  const before = rows.idBefore(path);
  if (desired?.handling?.adopt === true || (rows.has(path) && before === undefined)) return undefined;
  const missing = before === undefined ? "" : ` The managed object ${before} no longer exists.`;
  return `An object named "${name}" exists and has no ownership mark.${missing} $adopt: true takes it over.`;
}

/** Yields the entries of marked lists at or above `path`, outermost first. */
function* markedEntries({ input, desired }: GuardContext, path: Path): Generator<MarkedEntry> {
  let shape: Shape = input.shape;
  let live: TreeNode | undefined = input.candidate;
  let wanted: DesiredNode | undefined = desired;
  for (const step of path.steps().slice(1)) {
    const list = live;
    shape = shape.child(step.tag);
    live = live === undefined ? undefined : childAt(live, step);
    wanted = wanted === undefined ? undefined : (childAt(wanted, step) as DesiredNode | undefined);
    const tag = step.name === undefined ? undefined : markTag(shape);
    if (tag !== undefined) yield { path: step, tag, list, live, desired: wanted };
  }
}

/** Live entries by the name that they share. Walks each list once. */
class SharedNames {
  readonly #lists = new Map<TreeNode, ReadonlyMap<string, readonly string[]>>();

  of(list: TreeNode, name: string): readonly string[] {
    let names = this.#lists.get(list);
    if (names === undefined) {
      const found = new Map<string, string[]>();
      for (const entry of list.children) {
        const shared = entry.attributes?.get(SHARED_NAME);
        if (shared === undefined || entry.name === undefined) continue;
        const others = found.get(shared);
        if (others === undefined) found.set(shared, [entry.name]);
        else others.push(entry.name);
      }
      names = found;
      this.#lists.set(list, names);
    }
    return names.get(name) ?? [];
  }
}
