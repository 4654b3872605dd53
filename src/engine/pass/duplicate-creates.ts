import { find, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DUPLICATE, HALF_MADE, SHARED_NAME } from "../../core/tree/owner-mark.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { Finding } from "../../plan/diff/change.js";
import type { PlanInput } from "../../plan/model.js";
import type { Capabilities } from "../../plan/platform.js";
import type { LedgerRecord, LedgerState } from "../ledger/ledger.js";
import { stillUnanswered } from "../ledger/unanswered-requests.js";
import type { ReadTarget } from "../target.js";
import { type TargetContext, today } from "./context.js";
import type { Planned } from "./planner.js";

const OF_OUR_ACCOUNT = "of-our-account";

interface CloudPass {
  readonly shape: Shape;
  readonly context: TargetContext;
  readonly capabilities: Capabilities;
  readonly ids: ReadTarget["ids"];
}

/** An object that a create of this owner left in addition to the wanted one. */
interface Left {
  readonly path: Path;
  readonly entry: TreeNode;
  /** Undefined if no other object has the same name. */
  readonly kind: string | undefined;
}

/**
 * Adds objects to the ledger that a create of this owner left, because its reply was lost and it was carried out late, twice or after
 * its name left the documents. Only this owner can have created them, so the plan deletes them as undeclared rows. A duplicate that
 * holds data, such as a volume, is not added: it may be in use, and its deletion would block every other change.
 */
export function withUnfinishedCreates(ledger: LedgerState, live: TreeNode, { context, capabilities, ids, shape }: CloudPass): LedgerState {
  if (ledger.state !== "present" || capabilities.independentObjects !== true) return ledger;
  const { record } = ledger;
  const unanswered = stillUnanswered(record, today(context));
  const paths = leftByCreates(live, context.owner, unanswered)
    .filter((left) => left.kind === undefined || isHalfMade(left.entry) || isOfCutOffRun(left, record, unanswered, ids))
    .filter(({ kind, path }) => kind === undefined || path.parent === undefined || shapeAt(path.parent, shape).holdsData !== true)
    .map(({ path }) => path.toString());
  if (paths.length === 0) return ledger;
  const made = Object.fromEntries(paths.map((path) => [path, { came: "made" as const }]));
  const all = [...new Set([...record.paths, ...paths])].sort();
  return { ...ledger, record: { ...record, paths: all, rows: { ...made, ...record.rows } } };
}

/**
 * Reports duplicates that may be in use. The plan never deletes them. `ledger`: with the rows of `withUnfinishedCreates`.
 */
export function remainingDuplicates(
  live: TreeNode,
  ledger: PlanInput["ledger"],
  { context, capabilities }: Omit<CloudPass, "shape">,
): Finding[] {
  if (capabilities.independentObjects !== true) return [];
  const rows = new Set(ledger.state === "present" ? ledger.record.paths : []);
  return leftByCreates(live, context.owner, {}).flatMap(({ path, entry, kind }) => {
    if (kind === undefined || rows.has(path.toString())) return [];
    const message = `It has the same mark as "${entry.attributes?.get(SHARED_NAME)}", which is in the ledger or older: a create was executed twice, or it is a copy. It is not changed: delete it manually once it is unused (its id starts with the end of its name), or remove its mark.`;
    return [{ kind: "twin", path, message, origin: -1, refuses: false }];
  });
}

/**
 * Whether a run that was killed made it, and the run after it, which did not find it, made another one. Either the ledger knows that one by
 * its id, and that a create of the name got no answer. Or the second run was killed, too, and the ledger has no id: then the elder one stays.
 */
function isOfCutOffRun(
  { path, entry, kind }: Left,
  { rows = {}, announced = [] }: LedgerRecord,
  unanswered: Readonly<Record<string, string>>,
  ids: CloudPass["ids"],
): boolean {
  const elder = path.parent?.entry(entry.attributes?.get(SHARED_NAME) ?? "");
  const text = elder?.toString() ?? "";
  if (kind !== OF_OUR_ACCOUNT || elder === undefined) return false;
  if (announced.includes(text) && rows[text]?.came === "made" && rows[text].id === undefined) return true;
  return unanswered[text] !== undefined && rows[text]?.id !== undefined && rows[text].id === ids?.idOf(elder);
}

/** Reports whether the plan only deletes leftovers of creates that were carried out late or twice. */
export function isHalfMadeAlone({ plan, live }: Planned): boolean {
  const isLeft = (path: Path): boolean => {
    const entry = find(live.candidate, path);
    return entry !== undefined && (isHalfMade(entry) || entry.attributes?.get(DUPLICATE) === OF_OUR_ACCOUNT);
  };
  return plan.changes.length > 0 && plan.changes.every(({ kind, path }) => kind === "extra" && isLeft(path));
}

function isHalfMade({ attributes }: TreeNode): boolean {
  return attributes?.get(DUPLICATE) === "half-made" || attributes?.has(HALF_MADE) === true;
}

/** `unanswered`: paths of creates of which something may have come after they were given up. */
function leftByCreates(live: TreeNode, owner: string, unanswered: Readonly<Record<string, string>>): Left[] {
  const found: Left[] = [];
  const walkLists = (holder: TreeNode, path: Path): void => {
    for (const list of holder.children)
      for (const entry of list.children) if (entry.name !== undefined) walk(entry, path.child(list.tag).entry(entry.name));
  };
  const walk = (entry: TreeNode, path: Path): void => {
    const kind = entry.attributes?.get(DUPLICATE);
    if (kind === undefined && !isHalfMade(entry) && unanswered[path.toString()] === undefined) walkLists(entry, path);
    else if (entry.children.some(({ tag, text }) => tag === "owner" && text === owner)) found.push({ path, entry, kind });
  };
  walkLists(live, Path.root.child(live.tag));
  return found;
}
