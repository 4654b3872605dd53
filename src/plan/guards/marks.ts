import { childAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { markTag, ownerOf } from "../../core/tree/owner-mark.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import type { PlanInput, Refusal } from "../model.js";
import type { OwnershipRecord } from "../ownership-record.js";
import type { GuardContext } from "./context.js";

/** Attribute of a live entry that shares its name with others: what the object is called on the platform. */
export const SHARED_NAME = "shared-name";

/**
 * Attribute of a live entry of ours that is there beside the one that it was made twice of: `half-made` where nobody but a create of
 * ours whose reply was lost can have left it, `of-our-account` where our own account made both in two runs, else `whole`.
 */
export const TWIN = "twin";

/** Attribute of a live entry that carries our mark as our create made it: nobody has gone on with it. */
export const HALF_MADE = "half-made";

/**
 * Objects that do not carry our mark (docs/ownership.md#marks): one of another owner is never touched; one of nobody is taken over only
 * where the document says `$adopt: true` or the ledger has it already, by its id where it knows that; where several share a wanted
 * name, none is made beside them.
 */
export function refuseUnmarked(context: GuardContext): Refusal[] {
  const { owner, ledger } = context.input;
  if (owner === undefined) return [];
  const rows = new KnownRows(ledger.state === "present" ? ledger.record : undefined, context.input.idOf);
  const refusals = new Map<string, Refusal>();
  const names = new SharedNames();
  for (const { path } of context.changes) {
    for (const stand of markedEntries(context, path)) {
      const key = stand.path.toString();
      if (refusals.has(key) || isPartOfOurs(stand, path, rows)) continue;
      const message = refusalOf(stand, owner, rows, names);
      if (message !== undefined) refusals.set(key, { guard: "adopt", path: stand.path, allow: undefined, message });
    }
  }
  return [...refusals.values()];
}

/** What the ledger has as ours. */
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

  /** What was only announced may never have been made, unless its create answered with an id. */
  has(path: Path): boolean {
    const text = path.toString();
    return this.#paths.has(text) && (!this.#announced.has(text) || this.#rows[text]?.id !== undefined);
  }

  /** The id of what was ours where another object is called so now: somebody made that when ours was gone. */
  idBefore(path: Path): string | undefined {
    const before = this.#rows[path.toString()]?.id;
    const now = before === undefined ? undefined : this.#idOf(path);
    return now === undefined || now === before ? undefined : before;
  }
}

interface Stand {
  readonly path: Path;
  readonly tag: string;
  readonly list: TreeNode | undefined;
  readonly live: TreeNode | undefined;
  readonly desired: DesiredNode | undefined;
}

/** A part that we put into another's object and want no more: the object itself stays as it is. */
function isPartOfOurs({ path, desired }: Stand, change: Path, rows: KnownRows): boolean {
  return desired === undefined && change.depth > path.depth && rows.has(change);
}

function refusalOf({ path, tag, list, live, desired }: Stand, owner: string, rows: KnownRows, names: SharedNames): string | undefined {
  const name = path.name ?? "";
  if (live === undefined) {
    const others = list === undefined ? [] : names.of(list, name);
    if (others.length === 0) return undefined;
    return `${others.length} objects are called "${name}" and none carries our mark (${others.slice(0, 3).join(", ")}): a further one would not be told from them. Declare the one that is meant by the name shown here, with $adopt: true.`;
  }
  const mark = ownerOf(live, tag);
  if (mark === owner || desired?.prunes === false) return undefined;
  if (mark !== undefined) return `This belongs to "${mark}": the object carries that owner's mark.`;
  const before = rows.idBefore(path);
  if (desired?.handling?.adopt === true || (rows.has(path) && before === undefined)) return undefined;
  const gone = before === undefined ? "" : ` It is not the one that was ours, ${before}, which is gone.`;
  return `An object called "${name}" is there and carries nobody's mark.${gone} $adopt: true takes it over.`;
}

/** The entries of marked lists that `path` is or lies in, from the outermost. */
function* markedEntries({ input, desired }: GuardContext, path: Path): Generator<Stand> {
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

/** Live entries by the name that they share, one walk a list. */
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
