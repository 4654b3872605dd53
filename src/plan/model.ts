import type { PlumblineError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { SecretLeaf, TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { GuardLimits } from "../desired/configuration.js";
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

/** A guard that holds the plan back. Printed whole; apply refuses while one stands, or what it stops (exit 3). */
export interface Refusal {
  /** Guard name as in `--allow GUARD=VALUE`: `updates`, `deletes`, `empty-list`, `management`, `meaning`, `first-contact` … */
  readonly guard: string;
  readonly message: string;
  readonly path: Path | undefined;
  /** Position in the desired state's source map of what the path leads to or lies in, or -1. */
  readonly origin?: number | undefined;
  /** `subtree`: holds back what is at and below `path`, and what names it; the rest is planned and applied without it. */
  readonly stops?: "subtree" | undefined;
  /** The flag that lets it pass once, whole, for example `--allow deletes=45%`; undefined where only an edit helps. */
  readonly allow: string | undefined;
}

/** A subtree that reads as absent and is not believed to be, and why. */
export interface Doubt {
  readonly path: Path;
  readonly why: PlumblineError;
}

/** A change that alters what the configuration permits: deny to allow, a field that becomes `any` …; listed first. */
export interface MeaningChange {
  readonly path: Path;
  readonly message: string;
}

/** A place at which a change could lock us out, and words for what stands there. */
export interface Danger {
  readonly path: Path;
  readonly words: string;
}

/** How we come to the target, where that is by addresses of its own. */
export interface OwnPath {
  /** What has to be read, beside what was, to know the way; nothing where the changes lie nowhere near it. */
  reads(changes: readonly Change[], tree: TreeNode, addresses: readonly string[]): readonly Path[];
  /** Places on the way that are not the same before and after. */
  cut(addresses: readonly string[], before: TreeNode, after: TreeNode): readonly Danger[];
}

/** What a kind of target knows of danger; data and pure functions, supplied by `targets/<kind>/`. */
export interface KindGuards {
  /** The words for why a change to `path` may lock us out, or undefined. */
  management(path: Path): string | undefined;
  /** The words for how a change weakens the configuration, or undefined. Live is undefined for creates. */
  meaning(path: Path, live: TreeNode | undefined, desired: DesiredNode | undefined): string | undefined;
  readonly ownPath?: OwnPath;
  /** What becomes of an ordered list as a whole, for entries that no change tells of. */
  meaningOfList?(list: Path, before: TreeNode | undefined, after: TreeNode | undefined): readonly MeaningChange[];
  /** The desired root with what an object was born with and has lost, where a document says nothing of it. `isMade`: whether we made an entry. */
  withLost?(desired: DesiredNode, live: TreeNode, isMade: (entry: Path) => boolean): DesiredNode;
  /** The desired root, with what the live tree shows under another name said as it is shown. */
  inWordsOfLive?(desired: DesiredNode, live: TreeNode): DesiredNode;
  /** What documents say that the platform has nothing to give to, in words: it is left out of the plan, and told. */
  unfit?(desired: DesiredNode, live: TreeNode): readonly MeaningChange[];
  /** Facts about declared objects that a reader of the plan must know although nothing is written for them. */
  notes?(desired: DesiredNode, live: TreeNode): readonly MeaningChange[];
  /** Lists whose entries are never pruned, whatever is exclusive (system objects), by list path and entry name. */
  neverPruned(entry: Path): boolean;
  /** Scopes whose names are seen from another scope by more than their place: XPath of a device group to that of its parent group. */
  scopeParents?(live: TreeNode): ReadonlyMap<string, string>;
  /** Of a kind whose names are looked for before a plan writes them. */
  readonly names?: KindNames | undefined;
}

/** `other-key`: what the ledger has was made by the key of another machine, so that nothing can be told. */
export type SecretState = "equal" | "changed" | "unknown" | "other-key";

export interface PlanInput {
  readonly desired: DesiredTarget;
  /** Who we are: the mark that our entries carry where a platform's entries carry marks. */
  readonly owner?: string | undefined;
  /** One name of the device that answers. */
  readonly device?: string | undefined;
  /** Targets that this one refers to are written to first, in this run. */
  readonly awaitsDependencies?: boolean | undefined;
  readonly candidate: TreeNode;
  /** Undefined where the platform has no candidate. */
  readonly running: TreeNode | undefined;
  readonly shape: Shape;
  readonly capabilities: Capabilities;
  readonly ledger:
    | { readonly state: "present"; readonly record: OwnershipRecord }
    | { readonly state: "missing" }
    | { readonly state: "unreadable"; readonly reason: string };
  /** Paths in ledgers of other owners on this target, each with its owner. */
  readonly foreignLedgers: ReadonlyMap<string, string>;
  readonly guards: Omit<GuardLimits, "targets">;
  readonly kindGuards: KindGuards;
  /** `--allow` of this run: guard name to value. */
  readonly allow: ReadonlyMap<string, string>;
  readonly allowEmptyLive: readonly Path[];
  /** What reads as absent, although something else speaks against that. */
  readonly doubts?: readonly Doubt[] | undefined;
  /** The platform's own id of the object whose entry stands at a path, where it has one. */
  readonly idOf?: ((path: Path) => string | undefined) | undefined;
  /** Drift: what was not seen is shown as missing, and not left out. */
  readonly showsUnseen?: boolean | undefined;
  readonly rewriteLists: "never" | "allowed";
  readonly approve: "none" | "required";
  readonly foreignChanges: "refuse" | "leaveOut";
  readonly pending: readonly PendingChange[];
  /** Addresses that we come by, where they are addresses and no names. */
  readonly reachedAt?: readonly string[] | undefined;
  /** Our own administrator's name on the target. */
  readonly administrator: string | undefined;
  /** Further accounts of this owner: what they changed last is as ours. */
  readonly administrators?: readonly string[] | undefined;
  /**
   * False when the wanted commit does not descend from the ledger's; `cut` when the history that can be had ends before it
   * tells; undefined when there is nothing to tell (no ledger, no git).
   */
  readonly descends: boolean | "cut" | undefined;
  /** Deletes already done today under this ledger, for the daily budget. */
  readonly deletedToday: number;
  /** yyyy-mm-dd. */
  readonly today: string;
  readonly rotateSecrets: boolean;
  /** Whether a stored secret still equals ours, from keyed fingerprints. */
  secretState(path: Path, desired: DesiredNode, live: SecretLeaf): SecretState;
  /** Only this subtree (`--path`). */
  readonly only: Path | undefined;
}

export interface Plan {
  readonly format: 1;
  readonly target: string;
  /** SHA-256, hex (docs/plan.md#digest). */
  readonly digest: string;
  /** The same of what is done alone, whatever else the desired state says. */
  readonly effect: string;
  readonly changes: readonly Change[];
  /** Differences that no write of this plan removes: replaced `${keep}` secrets and unmanaged rules. */
  readonly remaining: readonly Change[];
  /** Differences at paths whose mode (`modes:`) keeps this plan from writing, and findings that refuse a comparison there. */
  readonly observed?: Pick<Diff, "changes" | "findings"> | undefined;
  readonly findings: readonly Finding[];
  readonly meaning: readonly MeaningChange[];
  readonly refusals: readonly Refusal[];
  /** Subtrees that refusals of theirs keep out of this plan, and changes elsewhere that wait for what is in them. */
  readonly leftOut: readonly Path[];
  readonly operations: readonly PlannedOperation[];
  /** Operations packed into requests, in order, each within the limits of the platform. */
  readonly batches: readonly (readonly PlannedOperation[])[];
  /** Commits needed; more than one where the platform has a ceiling of pending changes: ends of batches by index. */
  readonly commitAfter: readonly number[];
  /** Candidate equals desired but running does not: nothing to write, a commit is due. */
  readonly commitOnly: boolean;
  /** Pending changes of other administrators. */
  readonly foreign: readonly PendingChange[];
  /** Who gets it by a push, each firewall and virtual system once; the digest covers them. Undefined where nothing is pushed. */
  readonly reaches?: readonly string[] | undefined;
  /** Those of them that have already what the plan makes of their manager, where some lack what is running there now. */
  readonly alreadyHave?: readonly string[] | undefined;
  /** In which waves, where there are several; the digest covers them, too. */
  readonly waves?: readonly PushWave[] | undefined;
  /** What others committed and nobody pushed, and what a push makes of it, where it is not refused; the digest covers it. */
  readonly others?: { readonly goes: "along" | "left out"; readonly work: readonly string[] } | undefined;
  /** The ledger is missing or unreadable, so nothing is deleted outside exclusive lists. */
  readonly deletionsUnknown: boolean;
  /** Canonical XPaths that the ledger holds once this plan is applied and read back. */
  readonly owns: readonly string[];
}

/** Firewalls that are pushed to at once. */
export interface PushWave {
  /** What comes behind it waits until it has it. */
  readonly canary: boolean;
  /** Serial numbers. */
  readonly serials: readonly string[];
}

/** All that differs, also what this plan does not change. */
export function differencesOf(plan: Plan | undefined): readonly Change[] {
  return plan === undefined ? [] : plan.remaining.length === 0 ? plan.changes : [...plan.changes, ...plan.remaining];
}
