import { find, shapeAt } from "../core/tree/lookup.js";
import { SecretLeaf, type TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { parsePath, parseXPath, select } from "../core/tree/xpath/xpath.js";
import { type Attribution, type Change, UNKNOWN_ADMIN } from "../plan/diff/change.js";
import { printOf } from "../plan/print.js";
import { expiredIgnores } from "./expired-ignores.js";
import { NOT_READ_BACK } from "./ledger/fingerprints.js";
import type { LedgerRecord } from "./ledger/ledger.js";
import type { TargetContext } from "./pass/context.js";
import { type Planned, recordOf } from "./pass/planner.js";

/** Cause of a difference, according to the ledger. */
export interface DriftCause {
  /** The desired state changed: the live content is as the last run left it, or was never managed. */
  readonly isOfDesired: boolean;
  /** The desired content equals the content that the last run wrote. */
  readonly isWantedAsLeft: boolean;
  /** The ledger was not read, and no other evidence shows that an administrator made the change. */
  readonly isCauseUnknown?: boolean;
}

/**
 * Separates differences that come from a change of the desired state from manual changes on the target, by the fingerprint of each
 * ledger row. If a readable ledger does not show the cause, the difference counts as a manual change, so that a pending commit does not hide
 * it.
 */
export class DriftCauses {
  readonly #live: TreeNode;
  readonly #shape: Shape;
  readonly #context: TargetContext;
  readonly #record: LedgerRecord | undefined;
  /** The ledger cannot be read now. An older record, if there is one, may be outdated. */
  readonly #isUnread: boolean;
  readonly #paths: ReadonlySet<string>;
  readonly #announced: ReadonlySet<string>;
  readonly #adopted: readonly Path[];
  /** Rows below the paths of changes. */
  readonly #below: ReadonlyMap<string, readonly Path[]>;
  readonly #wasIgnored: readonly Path[];
  readonly #accounts: ReadonlySet<string>;
  /** Live paths that an ignore selects. */
  #ignored: readonly Path[] | undefined;

  constructor({ live, ledger, plan }: Planned, shape: Shape, context: TargetContext, administrator: string | undefined) {
    const record = recordOf(ledger);
    this.#live = live.candidate;
    this.#shape = shape;
    this.#context = context;
    this.#record = record;
    this.#isUnread = ledger.state === "unreadable";
    this.#paths = new Set(record?.paths);
    this.#announced = new Set(record?.announced);
    this.#adopted = (record?.adopted ?? []).map((path) => parsePath(path));
    this.#below = rowsBelow(record?.paths ?? [], plan.changes);
    this.#wasIgnored = expiredIgnores(context).flatMap((ignore) => {
      const expression = parseXPath(ignore.path);
      return [...select(live.candidate, expression), ...select(context.desired.root, expression)].map(({ path }) => path);
    });
    this.#accounts = new Set(administrator === undefined ? [] : [administrator, ...context.settings.administrators]);
  }

  of(change: Change, by: Attribution | undefined): DriftCause {
    const cause = this.#byRows(change, by);
    if (!this.#isUnread || cause.isOfDesired || this.#isByPerson(by)) return cause;
    return { isOfDesired: false, isWantedAsLeft: false, isCauseUnknown: true };
  }

  /** Returns whether no version of the ledger is known, so that the cause of every difference is unknown. */
  get areUnknown(): boolean {
    return this.#isUnread && this.#record === undefined;
  }

  /** Another agent may have applied a commit since the ledger was read. It uses the same account. */
  #isByPerson(by: Attribution | undefined): boolean {
    return !this.areUnknown && by !== undefined && by.admin !== UNKNOWN_ADMIN && !this.#accounts.has(by.admin);
  }

  #byRows(change: Change, by: Attribution | undefined): DriftCause {
    // The ledger has no order of entries and no unmanaged rules.
    if (this.areUnknown || change.kind === "order" || change.kind === "unmanaged") return { isOfDesired: false, isWantedAsLeft: false };
    // An expired ignore hid this difference, so its cause is unknown.
    if (this.#wasIgnored.some((path) => path.contains(change.path))) return { isOfDesired: false, isWantedAsLeft: false };
    if (this.#isOtherSecret(change)) return { isOfDesired: false, isWantedAsLeft: false };
    const rows = this.#rowsOf(change);
    if (rows.length > 0) {
      return {
        isOfDesired: rows.every((row) => this.#isAsLeft(row, by)),
        isWantedAsLeft: change.kind !== "renamed" && rows.every((row) => this.#isWantedAsLeft(row)),
      };
    }
    const isNewInList = change.kind === "extra" && (change.reason !== "closed" || this.#adopted.some((list) => list.contains(change.path)));
    return { isOfDesired: !isNewInList, isWantedAsLeft: isNewInList && change.reason === "closed" };
  }

  /** Returns whether the live content is managed and as the last run left it. */
  isByOwnAccount(change: Change): boolean {
    return !this.areUnknown && this.#rowsOf(change).length > 0 && this.of(change, undefined).isOfDesired;
  }

  /**
   * Returns the kind of evidence that another administrator made this change. `content`: the row has other content than a run left there.
   * `author`: the change counts only if the target names another author. A row with an ignored part is no evidence, because content does
   * not show which part of the row changed.
   */
  evidenceOf(change: Change): "content" | "author" | "none" {
    if (this.areUnknown || change.kind === "order") return "none";
    if (this.#isOtherSecret(change)) return "content";
    const rows = this.#rowsOf(change);
    if (rows.length === 0) return this.of(change, undefined).isOfDesired ? "none" : "author";
    if (!rows.some((row) => this.#hasOtherContent(row)) || rows.some((row) => this.#holdsIgnored(row))) return "none";
    return this.#record?.unproven === true ? "author" : "content";
  }

  /** Returns whether the live content is the recorded one, so that the last author on the target did not cause the difference. */
  isAsRecorded(change: Change): boolean {
    // The content of a row omits secrets.
    const isSecret = change.kind === "differs" && change.before instanceof SecretLeaf;
    if (this.areUnknown || change.kind === "order" || isSecret) return false;
    const rows = this.#rowsOf(change);
    return rows.length > 0 && rows.every((row) => this.#record?.rows?.[row.toString()]?.print !== undefined && !this.#hasOtherContent(row));
  }

  #hasOtherContent(row: Path): boolean {
    const print = this.#record?.rows?.[row.toString()]?.print;
    const node = find(this.#live, row);
    return print !== undefined && (node === undefined || printOf(node, shapeAt(row, this.#shape)) !== print);
  }

  #holdsIgnored(row: Path): boolean {
    this.#ignored ??= this.#context.desired.ignores.flatMap(({ path }) => select(this.#live, parseXPath(path)).map((found) => found.path));
    return this.#ignored.some((path) => row.contains(path));
  }

  /** Returns whether a run announced a write there and never verified it. The author of the content is then unknown. */
  isAnnounced(change: Change): boolean {
    return this.#rowsOf(change).some((row) => this.#announced.has(row.toString()));
  }

  /** Returns the row that contains the change, or the rows below it. */
  #rowsOf(change: Change): readonly Path[] {
    const path = change.kind === "renamed" ? (change.path.parent ?? change.path).entry(change.from, change.path.tag) : change.path;
    for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (this.#paths.has(at.toString())) return [at];
    return this.#below.get(change.path.toString()) ?? [];
  }

  #isAsLeft(row: Path, by: Attribution | undefined): boolean {
    const text = row.toString();
    const node = find(this.#live, row);
    const print = this.#record?.rows?.[text]?.print;
    if (node === undefined) return print === undefined && this.#announced.has(text);
    // A run that ended before its verification may have written here. Only the author is evidence.
    if (this.#record?.unproven === true && this.#accounts.size > 0) return by !== undefined && this.#accounts.has(by.admin);
    if (print !== undefined) return printOf(node, shapeAt(row, this.#shape)) === print;
    return by === undefined || this.#accounts.size === 0 ? this.#announced.has(text) : this.#accounts.has(by.admin);
  }

  #isWantedAsLeft(row: Path): boolean {
    const print = this.#record?.rows?.[row.toString()]?.print;
    const wanted = find(this.#context.desired.root, row);
    return print !== undefined && wanted !== undefined && printOf(wanted, shapeAt(row, this.#shape)) === print;
  }

  /** Returns whether a secret changed. Fingerprints of rows omit secrets, which have their own fingerprints. */
  #isOtherSecret(change: Change): boolean {
    if (change.kind !== "differs" || !(change.before instanceof SecretLeaf)) return false;
    const path = change.path.toString();
    const known = this.#record?.secrets[path];
    if (known === undefined || known.stored === NOT_READ_BACK) return false;
    return !this.#context.records.fingerprints.knows(path, known, change.before);
  }
}

function rowsBelow(rows: readonly string[], changes: readonly Change[]): ReadonlyMap<string, readonly Path[]> {
  const below = new Map<string, Path[]>(changes.map(({ path }) => [path.toString(), []]));
  if (changes.length === 0) return below;
  for (const row of rows) {
    const path = parsePath(row);
    for (let at = path.parent; at !== undefined; at = at.parent) below.get(at.toString())?.push(path);
  }
  return below;
}
