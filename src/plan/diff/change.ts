import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";

/** Stands for whoever it was where a target tells when something was changed and not by whom. */
export const UNKNOWN_ADMIN = "unknown";

/** Who last touched a live node and when, as the target's own marks say. */
export interface Attribution {
  /** The account, or `UNKNOWN_ADMIN`. */
  readonly admin: string;
  /** The target's own clock, `yyyy/mm/dd hh:mm:ss` on firewalls; where only two looks tell, the interval between them by ours (ISO 8601). */
  readonly time: string | undefined;
  /** The platform's own id of the request that did it, where it keeps one. */
  readonly request?: string | undefined;
}

/**
 * One difference, at the highest node where it can be told: a whole missing entry is one change, not one a leaf.
 * - `missing`: desired, not live. - `extra`: live, owned, not desired. - `differs`: a leaf's text, or a set of members.
 * - `order`: entries of an ordered list stand wrong among themselves; `before` and `after` are the names in order.
 * - `renamed`: an entry that is live under its old name. - `unmanaged`: a live rule that no document declares, in a rulebase
 *   with declared rules.
 */
export type Change =
  | {
      readonly kind: "missing";
      readonly path: Path;
      readonly after: DesiredNode;
      /** Rule of a rulebase: the rule that it will follow. Empty if it will be the first one. */
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
  | { readonly kind: "unmanaged"; readonly path: Path; readonly before: TreeNode };

/** Something seen that is not a change we make: shown, sometimes with a refusal. */
export interface Finding {
  readonly kind:
    | "inherited"
    | "interleaved"
    | "shadowed"
    | "unknown-secret"
    | "kept-missing"
    /** A stored secret that `${keep}` stands for is another one than it was. */
    | "kept-replaced"
    | "looks-like-rename"
    | "duplicate"
    | "shape-mismatch"
    /** An entry of a document's place is not live: places are never created. */
    | "place-missing"
    /** A name is written that nothing answers to, on a target that others push objects to. */
    | "name-missing"
    /** It is made, and what the target leaves room for is less than all that is made: told, and what fits is made. */
    | "no-room"
    /** `$position` names an entry that is not there, or that this plan deletes. */
    | "anchor-missing"
    /** A new entry of an ordered list has neither neighbour nor `$position`. */
    | "no-place"
    /** An entry is deleted and created anew: to stand in its place where a platform cannot move it, or because it cannot be changed. */
    | "made-again"
    /** It is changed in place, and goes down for that. */
    | "down"
    /** A part of it goes while what that names is deleted and made again, and comes back. */
    | "detached"
    /** The ledger has it and nobody wants it any more, but it does not carry our mark: left alone. */
    | "not-ours"
    /** The ledger has it as only found, and nobody wants it any more: left alone until it is adopted. */
    | "only-found"
    /** A fact about a declared object that the platform adds and that no write changes (`KindGuards.notes`). */
    | "note"
    /** Rules that no document declares, in a rulebase that `owns:` calls shared. One finding for each list. */
    | "unmanaged"
    /** It carries our mark, as another of that name does, which has the name: told, and left alone. */
    | "twin";
  readonly path: Path;
  readonly message: string;
  /** Position in the desired state's source map, or -1. */
  readonly origin: number;
  /** True when the plan must not be applied as long as it stands. */
  readonly refuses: boolean;
}

export interface Diff {
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
  /** Differences that no write of this plan removes: replaced `${keep}` secrets and unmanaged rules. */
  readonly remaining: readonly Change[];
}

/** Returns whether another administrator replaced a stored secret that `${keep}` stands for. */
export function isReplacedSecret(change: Change): boolean {
  return change.kind === "differs" && change.after.handling?.keep === true;
}

/** Returns whether the change belongs to `Diff.remaining`. */
export function isRemaining(change: Change): boolean {
  return change.kind === "unmanaged" || isReplacedSecret(change);
}
