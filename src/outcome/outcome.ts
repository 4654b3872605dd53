import type { PlumblineError } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Mode } from "../desired/configuration/configuration.js";
import type { SourceMap } from "../desired/source-map.js";
import type { Attribution, Change, Finding } from "../plan/diff/change.js";
import type { Plan, Refusal } from "../plan/model.js";
import type { Identity, PendingChange } from "../plan/platform.js";
import type { ArtifactVerdict } from "./artifact-verdict.js";
import type { JudgedAssertion } from "./assertion.js";
import type { Audit } from "./audit-finding.js";
import type { UndecidedCommit } from "./format-unfinished.js";
import { reasonsNotInSync, refusalsIn } from "./in-sync.js";
import type { Insight } from "./insight.js";
import type { Sides } from "./levels.js";
import type { ManagedFirewalls, PushedFirewall } from "./managed-firewalls.js";
import type { Traffic } from "./traffic.js";

/** A change with the last author of the live node. `attribution` is undefined if the platform has no authors. */
export interface DriftItem {
  readonly change: Change;
  readonly attribution: Attribution | undefined;
  /** True if the live node is unchanged since our last write: the desired state has changed and was not applied. */
  readonly isOfDesired?: boolean | undefined;
  /** True if the desired state equals our last write: the change does not come from a commit that was not applied. */
  readonly isWantedAsLeft?: boolean | undefined;
  /** True if the ledger was not read: the difference is a manual change or comes from a commit that was not applied. */
  readonly isCauseUnknown?: boolean | undefined;
}

/** Differences between the desired state and the running configuration. */
export interface Drift {
  readonly items: readonly DriftItem[];
  readonly findings: readonly Finding[];
  /** Parts of the desired state that cannot be compared, and why. */
  readonly refusals?: readonly Refusal[] | undefined;
  /** Uncommitted changes on the platform, both ours and other administrators'. */
  readonly pending: readonly PendingChange[];
  /** True if no version of the ledger was read: then objects whose documents were deleted are not found either. */
  readonly areCausesUnknown?: boolean | undefined;
}

export interface Applied {
  /** Number of operations that the platform acknowledged. */
  readonly operations: number;
  readonly requests: number;
  readonly commit: "committed" | "nothing" | "none";
  readonly job: string | undefined;
  /** Output and warnings of the commit job. */
  readonly lines: readonly string[];
  /** True if the read-back after the commit equals the desired state. */
  readonly proven: boolean;
}

/** Result of the checks of a commit. */
export interface WatchReport {
  /** `stands`: the commit was to be rolled back, and a part of it could not be. */
  readonly decision: "confirmed" | "taken back" | "stands";
  /** Git commit of the desired state. Undefined if the working tree was not clean. */
  readonly commit: string | undefined;
  readonly reason: string | undefined;
  /** For each watch: number of records since the commit, and in an equal period before. */
  readonly counts: readonly {
    readonly type: string;
    readonly query: string | undefined;
    readonly found: number;
    readonly threshold: number;
    readonly before: number | undefined;
  }[];
  /** Some of the records. */
  readonly samples: readonly string[];
  /** Parts of the commit that could not be rolled back, and why. */
  readonly left: readonly { readonly xpath: string; readonly why: string }[];
}

/** Result of a command for one target. Later fields are missing if the pass ended early. */
export interface TargetOutcome {
  readonly target: string;
  readonly kind: string;
  /** Mode of the target. Runs only write in mode `enforce`. */
  readonly mode?: Mode | undefined;
  readonly identity?: Identity | undefined;
  readonly sources?: SourceMap | undefined;
  /** Folder of the files of `sources` in the working tree: `""` for its root, otherwise `network/edge`. Undefined outside git. */
  readonly folder?: string | undefined;
  /** Used by reports to distinguish scopes from lists. */
  readonly shape?: Shape | undefined;
  /** True if the platform has a candidate configuration and commits. Undefined until it was queried. */
  readonly hasCommit?: boolean | undefined;
  readonly plan?: Plan | undefined;
  readonly drift?: Drift | undefined;
  /** Flows that the plan or the drift opens and closes. Undefined if no rules change. */
  readonly insight?: Insight | undefined;
  /** Effect on logged sessions. Undefined if not requested or if no rules change. */
  readonly traffic?: Traffic | undefined;
  /** Results of the assertions in the documents. Undefined if there are none. */
  readonly assertions?: readonly JudgedAssertion[] | undefined;
  readonly applied?: Applied | undefined;
  /** State of the writes of a run, whether it succeeded or not: `reverted` before a commit, or `stored` on the device. */
  readonly writes?: "reverted" | "stored" | undefined;
  readonly watch?: WatchReport | undefined;
  /** For plan and drift: an earlier commit whose checks have not decided yet. */
  readonly undecided?: UndecidedCommit | undefined;
  /** Deletions that a manager has committed but not pushed to all firewalls (XPath), if no declared push delivers them. */
  readonly undelivered?: readonly string[] | undefined;
  /** Entries of the target that no document declares, in lists with declared entries. `entries` is set if the run lists them. */
  readonly unmanaged?: { readonly count: number; readonly entries?: readonly Path[] | undefined } | undefined;
  /** Data that the comparison needs and the run could not read. */
  readonly unread?: readonly string[] | undefined;
  /** Why the run had no ledger. Undefined if it read or wrote one. Objects whose documents were deleted are not known without it. */
  readonly lacksLedger?: "missing" | "unreadable" | undefined;
  /** Who paused the target and why. */
  readonly paused?: string | undefined;
  /** XPath of `--path`: the rest of the target was not compared. */
  readonly narrowed?: string | undefined;
  /** Number of targets that `--target` excluded from the run. */
  readonly targetsOmitted?: number | undefined;
  /** For a manager: differences of its candidate and its running configuration at the end of the run. */
  readonly sides?: Sides | undefined;
  /** For a manager: the firewalls that get the declared configuration, and their state. */
  readonly firewalls?: ManagedFirewalls | undefined;
  /** Results of the pushes of this run. */
  readonly pushed?: readonly PushedFirewall[] | undefined;
  /** Changes of other administrators that this run overwrote. */
  readonly overwritten?: readonly DriftItem[] | undefined;
  /** Verdicts on the files that documents list. */
  readonly verdicts?: readonly ArtifactVerdict[] | undefined;
  readonly audit?: Audit | undefined;
  readonly error?: PlumblineError | undefined;
  readonly warnings: readonly string[];
}

/** The command that produced the outcomes. Pending work is exit code 2 for plan and drift; completed work is 0 for reconcile. */
export type Command = "plan" | "drift" | "reconcile" | "apply" | "audit";

/**
 * Reasons that do not count for the exit code: the user narrowed the comparison, a pause changes nothing on the device, and a missing
 * ledger is normal before the first run and `adopt`.
 */
const EXIT_ZERO: ReadonlySet<string> = new Set(["narrowed", "paused", "no-ledger"]);

/** Returns true if work is pending, or if something was not compared or not delivered. */
export function isPending(outcome: TargetOutcome): boolean {
  return reasonsNotInSync(outcome).some(({ reason }) => !EXIT_ZERO.has(reason));
}

/** An exit code of plan, drift and reconcile (docs/guards.md#exit-codes). */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** Returns the exit code of one target: 4 partly applied, 1 error, 3 refused, 2 pending, 0 done (docs/guards.md#exit-codes). */
export function outcomeCode(outcome: TargetOutcome): ExitCode {
  if (outcome.error !== undefined) return outcome.error.severity === "partial" ? 4 : outcome.error.severity === "refused" ? 3 : 1;
  if (refusalsIn(outcome).length > 0) return 3;
  return isPending(outcome) ? 2 : 0;
}

/**
 * Returns the exit code of a run. It is 4 if a target was partly applied, or if one target was written and another failed. Otherwise it is
 * the worst of 1, 3, 2, 0.
 */
export function exitCode(outcomes: readonly TargetOutcome[]): ExitCode {
  const codes = outcomes.map(outcomeCode);
  const isWritten = ({ applied }: TargetOutcome) => (applied?.operations ?? 0) > 0 || applied?.commit === "committed";
  const failed = (code: number, at: number) =>
    (code === 1 || code === 3) && outcomes.some((outcome, other) => other !== at && isWritten(outcome));
  if (codes.includes(4) || codes.some(failed)) return 4;
  return ([1, 3, 2] as const).find((code) => codes.includes(code)) ?? 0;
}
