import type { PlumblineError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { SecretLeaf, TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { GuardLimits } from "../desired/configuration/configuration.js";
import type { DesiredNode, DesiredTarget } from "../desired/model.js";
import type { Change, Diff, Finding } from "./diff/change.js";
import type { OwnershipRecord } from "./ownership-record.js";
import type { Capabilities, PendingChange } from "./platform.js";
import type { KindNames } from "./unknown-names.js";

export type Phase = "rename" | "create" | "update" | "move" | "delete";

export interface PlannedOperation {
  readonly operation: Operation;
  readonly phase: Phase;
  /** Indexes into `Plan.changes`. */
  readonly changes: readonly number[];
}

/** A guard that blocks the plan, or a part of it. `apply` writes no part that a refusal blocks (exit 3). */
export interface Refusal {
  /** Guard name as in `--allow GUARD=VALUE`: `updates`, `deletes`, `empty-list`, `management`, `meaning`, `first-contact` … */
  readonly guard: string;
  readonly message: string;
  readonly path: Path | undefined;
  /** Position of `path`, or of the node around it, in the desired state's source map; -1 if it has none. */
  readonly origin?: number | undefined;
  /** `subtree`: blocks the nodes at and below `path`, and references to them. The rest is planned and applied without them. */
  readonly stops?: "subtree" | undefined;
  /** The flag that overrides the guard once, for example `--allow deletes=45%`. Undefined if only an edit helps. */
  readonly allow: string | undefined;
}

/** A subtree that reads as absent although other data contradicts that, with the reason. */
export interface Doubt {
  readonly path: Path;
  readonly why: PlumblineError;
}

/** A change that weakens or changes what the configuration permits: deny to allow, a field that becomes `any` … Printed first. */
export interface MeaningChange {
  readonly path: Path;
  readonly message: string;
}

/** A place at which a change could lock Plumbline out, and its description. */
export interface Danger {
  readonly path: Path;
  readonly words: string;
}

/** The management path of a target that is reached through addresses in its own configuration. */
export interface OwnPath {
  /** Returns further paths that must be read to find the way. Empty if no change is near it. */
  reads(changes: readonly Change[], tree: TreeNode, addresses: readonly string[]): readonly Path[];
  /** Returns the places on the way that differ before and after. */
  cut(addresses: readonly string[], before: TreeNode, after: TreeNode): readonly Danger[];
}

/** Safety rules of one kind of target: data and pure functions, supplied by `targets/<kind>/`. */
/** An object without a field that the platform requires. */
export interface MissingField {
  readonly path: Path;
  readonly message: string;
}

export interface KindGuards {
  /** Returns why a change to `path` may lock Plumbline out, or undefined. */
  management(path: Path): string | undefined;
  /** Returns how a change weakens the configuration, or undefined. `live` is undefined for creates. */
  meaning(path: Path, live: TreeNode | undefined, desired: DesiredNode | undefined): string | undefined;
  readonly ownPath?: OwnPath;
  /** Returns meaning changes of an ordered list that follow from its order or from entries without a change of their own. */
  meaningOfList?(list: Path, before: TreeNode | undefined, after: TreeNode | undefined): readonly MeaningChange[];
  /**
   * Returns the desired root plus default parts that an object has lost, if no document mentions them. `isMade`: Plumbline created the
   * entry.
   */
  withLost?(desired: DesiredNode, live: TreeNode, isMade: (entry: Path) => boolean): DesiredNode;
  /** Returns the desired root with equivalent declarations rewritten to the form of the live tree, so that they do not differ from it. */
  inWordsOfLive?(desired: DesiredNode, live: TreeNode): DesiredNode;
  /** Returns declarations that the platform cannot apply, with messages. They are omitted from the plan and reported. */
  unfit?(desired: DesiredNode, live: TreeNode): readonly MeaningChange[];
  /** Returns facts about declared objects that a reader of the plan must know although nothing is written for them. */
  notes?(desired: DesiredNode, live: TreeNode): readonly MeaningChange[];
  /** Returns the objects in a tree that lack a field which this version of the platform requires. */
  missingFields?(tree: TreeNode, version: string): readonly MissingField[];
  /** Returns whether the entry is a system object, which exclusive lists never delete either. */
  neverPruned(entry: Path): boolean;
  /** Scopes that also see the names of another scope: XPath of a device group to the XPath of its parent group. */
  scopeParents?(live: TreeNode): ReadonlyMap<string, string>;
  /** How to look up names before a plan writes references to them. */
  readonly names?: KindNames | undefined;
}

/** `other-key`: the ledger's fingerprint was made with the key of another machine, so it cannot be compared. */
export type SecretState = "equal" | "changed" | "unknown" | "other-key";

export interface PlanInput {
  readonly desired: DesiredTarget;
  /** The owner whose mark the managed entries carry, on platforms with marks. */
  readonly owner?: string | undefined;
  /** A name of the device that answered. */
  readonly device?: string | undefined;
  /** This run first writes to targets that this target depends on. */
  readonly awaitsDependencies?: boolean | undefined;
  readonly candidate: TreeNode;
  /** Undefined if the platform has no candidate. */
  readonly running: TreeNode | undefined;
  readonly shape: Shape;
  readonly capabilities: Capabilities;
  readonly ledger:
    | { readonly state: "present"; readonly record: OwnershipRecord }
    | { readonly state: "missing" }
    | { readonly state: "unreadable"; readonly reason: string };
  /** Paths in ledgers of other owners on this target, with the owner of each. */
  readonly otherLedgers: ReadonlyMap<string, string>;
  readonly guards: Omit<GuardLimits, "targets">;
  readonly kindGuards: KindGuards;
  /** `--allow` of this run: guard name to value. */
  readonly allow: ReadonlyMap<string, string>;
  readonly allowEmptyLive: readonly Path[];
  /** Subtrees that read as absent although other data contradicts that. */
  readonly doubts?: readonly Doubt[] | undefined;
  /** Returns the platform's own id of the object at a path, if it has one. */
  readonly idOf?: ((path: Path) => string | undefined) | undefined;
  /** Set for drift: objects in subtrees that could not be read are shown as missing instead of omitted. */
  readonly showsUnseen?: boolean | undefined;
  readonly rewriteLists: "never" | "allowed";
  readonly approve: "none" | "required";
  readonly foreignChanges: "refuse" | "leaveOut";
  readonly pending: readonly PendingChange[];
  /** Addresses through which Plumbline reaches the target. Host names are not included. */
  readonly reachedAt?: readonly string[] | undefined;
  /** Plumbline's administrator account on the target. */
  readonly administrator: string | undefined;
  /** Further accounts of this owner. Objects that they changed last count as changed by Plumbline. */
  readonly administrators?: readonly string[] | undefined;
  /**
   * False if the wanted commit does not descend from the commit in the ledger. `cut`: the available history is too short to decide.
   * Undefined if there is no ledger or no git.
   */
  readonly descends: boolean | "cut" | undefined;
  /** Deletions already done today under this ledger, for the daily budget. */
  readonly deletedToday: number;
  /** yyyy-mm-dd. */
  readonly today: string;
  readonly rotateSecrets: boolean;
  /** Compares a stored secret with the desired one by keyed fingerprints. */
  secretState(path: Path, desired: DesiredNode, live: SecretLeaf): SecretState;
  /** Plan only this subtree (`--path`). */
  readonly only: Path | undefined;
}

export interface Plan {
  readonly format: 1;
  readonly target: string;
  /** SHA-256, hex (docs/contributing/plan.md#digest). */
  readonly digest: string;
  /** SHA-256, hex. Like `digest`, but without the desired tree: commits that lead to the same work have the same value. */
  readonly effect: string;
  readonly changes: readonly Change[];
  /** Differences that this plan does not remove (`Diff.remaining`). */
  readonly remaining: readonly Change[];
  /** Live entries that no document declares, in lists with declared entries. They are no differences. */
  readonly unmanaged?: Diff["unmanaged"];
  /** Differences at paths whose mode (`modes:`) prevents writing, and findings that refuse a comparison there. */
  readonly observed?: Pick<Diff, "changes" | "findings"> | undefined;
  readonly findings: readonly Finding[];
  readonly meaning: readonly MeaningChange[];
  readonly refusals: readonly Refusal[];
  /** Subtrees that their refusals keep out of this plan, and changes elsewhere that wait for objects in these subtrees. */
  readonly leftOut: readonly Path[];
  readonly operations: readonly PlannedOperation[];
  /** Operations packed into requests, in order, each within the limits of the platform. */
  readonly batches: readonly (readonly PlannedOperation[])[];
  /** Indexes of the batches after which to commit. More than one if the platform limits the number of pending changes. */
  readonly commitAfter: readonly number[];
  /** The candidate equals desired state but running does not: only a commit is needed. */
  readonly commitOnly: boolean;
  /** Pending changes of other administrators. */
  readonly foreign: readonly PendingChange[];
  /** Firewalls and virtual systems that a push reaches, each once. Part of the digest. Undefined if nothing is pushed. */
  readonly reaches?: readonly string[] | undefined;
  /** Entries of `reaches` that already have the configuration that this plan produces, while others lack the running one. */
  readonly alreadyHave?: readonly string[] | undefined;
  /** Push waves, if there is more than one. Part of the digest. */
  readonly waves?: readonly PushWave[] | undefined;
  /** Committed but unpushed work of other administrators, and whether a push includes or omits it. Part of the digest. */
  readonly others?: { readonly goes: "along" | "left out"; readonly work: readonly string[] } | undefined;
  /** The ledger is missing or unreadable, so nothing is deleted outside exclusive lists. */
  readonly deletionsUnknown: boolean;
  /** Canonical XPaths in the ledger after this plan is applied and verified. */
  readonly owns: readonly string[];
}

/** Firewalls that are pushed to in parallel. */
export interface PushWave {
  /** Later waves wait until this wave has succeeded. */
  readonly canary: boolean;
  /** Serial numbers. */
  readonly serials: readonly string[];
}

/** Returns all differences, also those that this plan does not change. */
export function differencesOf(plan: Plan | undefined): readonly Change[] {
  return plan === undefined ? [] : plan.remaining.length === 0 ? plan.changes : [...plan.changes, ...plan.remaining];
}
