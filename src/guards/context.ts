import type { Path } from "../core/tree/path.js";
import type { DesiredTarget } from "../desired/model.js";
import type { ArtifactVerdict } from "../outcome/artifact-verdict.js";
import type { JudgedAssertion } from "../outcome/assertion.js";
import type { Plan } from "../plan/model.js";
import type { PlannedFacts } from "../plan/plan-guards.js";
import type { ListedReference, UnknownName } from "../plan/unknown-names.js";
import type { Allowed } from "./allow.js";

/** Facts for the guards of a plan while it is made. */
export interface GuardContext extends PlannedFacts {
  readonly allow: Allowed;
}

/** Facts of the run, for the guards of a finished plan. */
export interface RunFacts {
  readonly target: string;
  readonly desired: DesiredTarget;
  readonly allow: Allowed;
  readonly plan: Plan;
  /** The plan has operations, or commits earlier changes. */
  readonly writes: boolean;
  /** Why the ledger, which belongs to another device, is not used. */
  readonly otherDevice: string | undefined;
  readonly verdicts: readonly ArtifactVerdict[];
  /** The same change as in the plan, if checks rolled it back before. */
  readonly rolledBack: { readonly commit: string | undefined; readonly why: string } | undefined;
  /** Dependencies that this run could not bring to their desired state. */
  readonly blockedBy: readonly string[];
  /** Files of the desired state that differ from the commit. */
  readonly differing: readonly string[];
  /** Undefined for a run of a single target, and for a target that this run does not write. */
  readonly targetsOfRun: { readonly count: number; readonly limit: number } | undefined;
  /** Why the plan would restore values that a newer commit changed. */
  readonly formerValues: string | undefined;
}

/** Facts that need further reads of the target. */
export interface LiveFacts extends Pick<RunFacts, "desired" | "allow" | "plan"> {
  /** Undefined without assertions. */
  readonly asserted: readonly JudgedAssertion[] | undefined;
  readonly unlisted: UnlistedChanges;
  /** Users of an object. Undefined if the platform does not refuse to delete used objects. */
  readonly usersOf: ((entry: Path) => readonly ObjectUser[]) | undefined;
  readonly unknownNames: { readonly missing: readonly UnknownName[]; readonly unlisted: readonly ListedReference[] };
}

/** Uncommitted changes of unknown authors, on a device without a list of changes. */
export interface UnlistedChanges {
  /** The device shows neither a list nor its running configuration. */
  readonly areUnreadable: boolean;
  /** The commit would include them. */
  readonly included: readonly Path[];
  /** The plan would overwrite them. */
  readonly overwritten: readonly Path[];
}

/** A user of an object. */
export interface ObjectUser {
  /** Undefined if it is no entry of the tree. */
  readonly entry: Path | undefined;
  readonly words: string;
}
