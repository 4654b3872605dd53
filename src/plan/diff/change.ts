import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";

/** Account name if a target reports when something changed but not who changed it. */
export const UNKNOWN_ADMIN = "unknown";

/** The last change to a live node, according to the target: by which account and when. */
export interface Attribution {
  /** The account, or `UNKNOWN_ADMIN`. */
  readonly admin: string;
  /**
   * Time by the target's clock, `yyyy/mm/dd hh:mm:ss` on firewalls. If only two reads are known, the interval between them by the local
   * clock (ISO 8601). If only the last change of the object is known, `../` and that time: a later change may have moved it.
   */
  readonly time: string | undefined;
  /** The platform's id of the request that made the change, if it keeps one. */
  readonly request?: string | undefined;
}

/** Returns the change of a node by an unknown account, from the time at which its object was last changed. */
export function lastChangeOfObject(time: string): Attribution {
  return { admin: UNKNOWN_ADMIN, time: `${OPEN_START}${time}` };
}

/** Start of an interval whose start is unknown (ISO 8601). */
const OPEN_START = "../";

/**
 * Returns ` at` a time, ` between` two, or ` no later than` one. ISO 8601 separates two times by a slash, and firewall times have slashes
 * between their digits.
 */
export function formatTime(time: string | undefined): string {
  if (time === undefined) return "";
  if (time.startsWith(OPEN_START)) return ` no later than ${time.slice(OPEN_START.length)}`;
  const [from, to] = time.split("Z/");
  return to === undefined ? ` at ${time}` : ` between ${from}Z and ${to}`;
}

/**
 * One difference, at the highest node that differs: a missing entry is one change, not one per leaf.
 * - `missing`: desired, not live.
 * - `extra`: live and owned, not desired.
 * - `differs`: a leaf's text, or a set of members.
 * - `order`: entries of an ordered list have the wrong order; `before` and `after` are the names in order.
 * - `renamed`: an entry that is live under its old name.
 * - `unmanaged`: a live rule that no document declares, in a rulebase with declared rules.
 */
export type Change =
  | {
      readonly kind: "missing";
      readonly path: Path;
      readonly after: DesiredNode;
      /** For a rule of a rulebase: the rule that it will follow. Empty if it will be the first one. */
      readonly follows?: string | undefined;
    }
  | { readonly kind: "extra"; readonly path: Path; readonly before: TreeNode; readonly reason: "closed" | "ledger" | "excluded" }
  | { readonly kind: "differs"; readonly path: Path; readonly before: TreeNode; readonly after: DesiredNode }
  | {
      readonly kind: "order";
      readonly path: Path;
      readonly before: readonly string[];
      readonly after: readonly string[];
      readonly moved: readonly string[];
    }
  | { readonly kind: "renamed"; readonly path: Path; readonly from: string; readonly to: string; readonly after: DesiredNode }
  | {
      readonly kind: "unmanaged";
      readonly path: Path;
      readonly before: TreeNode;
      /** Of an object that a create without a reply may have made: the path of the create. Undefined for a rule of a rulebase. */
      readonly ofCreate?: string;
    };

/** Returns whether a change only marks a live object as managed by this owner. */
export function isTakeover(change: Change): boolean {
  return change.kind === "missing" && change.after.handling?.ownerMark === true;
}

/** A fact to report that is not a change. Some findings refuse the plan. */
export interface Finding {
  readonly kind:
    | "inherited"
    | "interleaved"
    | "shadowed"
    | "unknown-secret"
    | "kept-missing"
    /** The stored secret behind `${keep}` has been replaced. */
    | "kept-replaced"
    | "looks-like-rename"
    | "duplicate"
    | "shape-mismatch"
    /** An entry on the path to a document's place is not live. Such entries are never created. */
    | "place-missing"
    /** A reference to a name that is neither declared nor live, on a target to which a manager pushes objects. */
    | "name-missing"
    /** The target has less room than all new objects need. Objects are created as long as they fit. */
    | "no-room"
    /** `$position` names an entry that does not exist or that this plan deletes. */
    | "anchor-missing"
    /** A new entry of an ordered list has neither a live neighbour nor `$position`. */
    | "no-place"
    /** An entry is deleted and recreated, because the platform cannot move or change it. */
    | "made-again"
    /** The object is changed in place and is down during the change. */
    | "down"
    /** A part of the object is removed while the object that it refers to is recreated, and is then restored. */
    | "detached"
    /** The ledger lists the object and no document declares it, but it lacks this owner's mark. Plumbline keeps the object. */
    | "not-ours"
    /**
     * Only the ledger lists the object, and its row does not permit a delete (`foundOnly`). Plumbline keeps the object until `plumbline
     * adopt`.
     */
    | "only-found"
    /** A fact about a declared object that the platform adds and that no write changes (`KindGuards.notes`). */
    | "note"
    /** Undeclared rules in a rulebase that `owns:` lists as shared. One finding per list. */
    | "unmanaged"
    /** The object carries this owner's mark, but another one already has its name. Plumbline keeps the object. */
    | "twin";
  readonly path: Path;
  readonly message: string;
  /** Position in the desired state's source map, or -1. */
  readonly origin: number;
  /** True if the plan must not be applied while the finding exists. */
  readonly refuses: boolean;
}

export interface Diff {
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
  /** Differences that no write of this plan removes: replaced `${keep}` secrets, unmanaged rules and objects of creates without a reply. */
  readonly remaining: readonly Change[];
  /** Live entries that no document declares, in lists with declared entries. Rules of a rulebase are in `remaining` instead. */
  readonly unmanaged?: readonly Path[] | undefined;
}

/** Returns whether another administrator replaced a stored secret that `${keep}` stands for. */
export function isReplacedSecret(change: Change): boolean {
  return change.kind === "differs" && change.after.handling?.keep === true;
}

/** Returns whether the change belongs to `Diff.remaining`. */
export function isRemaining(change: Change): boolean {
  return change.kind === "unmanaged" || isReplacedSecret(change);
}
