import type { PlumblineError } from "../core/errors.js";
import type { Shape } from "../core/tree/shape.js";
import type { Mode } from "../desired/configuration.js";
import type { SourceMap } from "../desired/source-map.js";
import type { Attribution, Change, Finding } from "../plan/diff/change.js";
import type { Plan, Refusal } from "../plan/model.js";
import type { Identity, PendingChange } from "../plan/platform.js";
import type { ArtifactVerdict } from "./artifact-verdict.js";
import type { JudgedAssertion } from "./assertion.js";
import type { Audit } from "./audit-finding.js";
import { reasonsNotInSync, refusalsIn } from "./in-sync.js";
import type { Insight } from "./insight.js";
import type { Sides } from "./levels.js";
import type { ManagedFirewalls, PushedFirewall } from "./managed-firewalls.js";
import type { UndecidedCommit } from "./open-words.js";
import type { Traffic } from "./traffic.js";

/** A change with who last touched the live node; `attribution` is undefined where the platform cannot tell. */
export interface DriftItem {
  readonly change: Change;
  readonly attribution: Attribution | undefined;
  /** Nobody touched what stands there since we left it: desired state has moved, and was not applied. */
  readonly isOfDesired?: boolean | undefined;
  /** What is wanted there is what we left there: no commit that was not applied speaks of it. */
  readonly isWantedAsLeft?: boolean | undefined;
}

/** Desired against running. */
export interface Drift {
  readonly items: readonly DriftItem[];
  readonly findings: readonly Finding[];
  /** Parts of the desired state that cannot be compared, and why. */
  readonly refusals?: readonly Refusal[] | undefined;
  /** Uncommitted changes on the platform, ours and others'. */
  readonly pending: readonly PendingChange[];
}

export interface Applied {
  /** Operations that the platform acknowledged. */
  readonly operations: number;
  readonly requests: number;
  readonly commit: "committed" | "nothing" | "none";
  readonly job: string | undefined;
  /** Lines and warnings of the commit job. */
  readonly lines: readonly string[];
  /** Read back after the commit and found equal. */
  readonly proven: boolean;
}

/** What became of a commit that checks decided on. */
export interface WatchReport {
  /** `stands`: it was to be taken back, and something of it could not be. */
  readonly decision: "confirmed" | "taken back" | "stands";
  /** The git commit of the desired state, where it was committed and clean. */
  readonly commit: string | undefined;
  readonly reason: string | undefined;
  /** Records since the commit, and in as long a time before, by watch. */
  readonly counts: readonly {
    readonly type: string;
    readonly query: string | undefined;
    readonly found: number;
    readonly threshold: number;
    readonly before: number | undefined;
  }[];
  /** A few of the records. */
  readonly samples: readonly string[];
  /** What stays of the commit, and why. */
  readonly left: readonly { readonly xpath: string; readonly why: string }[];
}

/** What a command found and did on one target. Fields are present as far as the pass came. */
export interface TargetOutcome {
  readonly target: string;
  readonly kind: string;
  /** Of the target; in another one than `enforce` no run writes to it. */
  readonly mode?: Mode | undefined;
  readonly identity?: Identity | undefined;
  readonly sources?: SourceMap | undefined;
  /** Where the files of `sources` lie in the working tree: `""` for its root, else `network/edge`; undefined outside git. */
  readonly folder?: string | undefined;
  /** Lets reports tell scopes from lists. */
  readonly shape?: Shape | undefined;
  /** The platform has a candidate configuration and commits; undefined as long as it was not asked. */
  readonly hasCommit?: boolean | undefined;
  readonly plan?: Plan | undefined;
  readonly drift?: Drift | undefined;
  /** What the plan, or whoever made the drift, lets through and stops; undefined where no rules are concerned. */
  readonly insight?: Insight | undefined;
  /** What would become of sessions that were logged; undefined where nobody asked, and where no rules are concerned. */
  readonly traffic?: Traffic | undefined;
  /** What documents assert, judged; undefined where they assert nothing. */
  readonly assertions?: readonly JudgedAssertion[] | undefined;
  readonly applied?: Applied | undefined;
  /** How far the writes of a run got, whether it succeeded or not: `reverted` before a commit, or `stored` on the device. */
  readonly writes?: "reverted" | "stored" | undefined;
  readonly watch?: WatchReport | undefined;
  /** Of plan and drift: a commit before that is still to be decided on. */
  readonly undecided?: UndecidedCommit | undefined;
  /** Deletions that a manager has committed but not pushed to all firewalls (XPath), where no push is declared that would deliver them. */
  readonly undelivered?: readonly string[] | undefined;
  /** What the comparison needs and the run could not read. */
  readonly unread?: readonly string[] | undefined;
  /** Who paused the target and why. */
  readonly paused?: string | undefined;
  /** XPath of `--path`: nothing else was compared. */
  readonly narrowed?: string | undefined;
  /** Number of targets that `--target` excluded from the run. */
  readonly targetsOmitted?: number | undefined;
  /** Of a manager: how its candidate and what is running there stand to the desired state, at the end of what was done. */
  readonly sides?: Sides | undefined;
  /** Of a manager: the firewalls that get what is declared, and whether they have it. */
  readonly firewalls?: ManagedFirewalls | undefined;
  /** What this run pushed, to whom. */
  readonly pushed?: readonly PushedFirewall[] | undefined;
  /** What others had changed since we left it and this run wrote over. */
  readonly overwritten?: readonly DriftItem[] | undefined;
  /** Of the files that documents list. */
  readonly verdicts?: readonly ArtifactVerdict[] | undefined;
  readonly audit?: Audit | undefined;
  readonly error?: PlumblineError | undefined;
  readonly warnings: readonly string[];
}

/** Which command made the outcomes: `pending` work is exit 2 for plan and drift, done work 0 for reconcile. */
export type Command = "plan" | "drift" | "reconcile" | "apply" | "audit";

/** Reasons that do not count for the exit code: the user narrowed the comparison, and a pause changes nothing on the device. */
const EXIT_ZERO: ReadonlySet<string> = new Set(["narrowed", "paused"]);

/** Returns whether work is pending, or something is not compared or not delivered. */
export function isPending(outcome: TargetOutcome): boolean {
  return reasonsNotInSync(outcome).some(({ reason }) => !EXIT_ZERO.has(reason));
}

/** The exit code of one target: 4 partly applied, 1 error, 3 refused, 2 pending, 0 done (docs/plan.md#exit-codes). */
export function outcomeCode(outcome: TargetOutcome): 0 | 1 | 2 | 3 | 4 {
  if (outcome.error !== undefined) return outcome.error.severity === "partial" ? 4 : outcome.error.severity === "refused" ? 3 : 1;
  if (refusalsIn(outcome).length > 0) return 3;
  return isPending(outcome) ? 2 : 0;
}

/** The exit code of a run: 4 also when one target was written and another, planned, was not; else the worst of 1, 3, 2, 0. */
export function exitCode(outcomes: readonly TargetOutcome[]): number {
  const codes = outcomes.map(outcomeCode);
  const isWritten = ({ applied }: TargetOutcome) => (applied?.operations ?? 0) > 0 || applied?.commit === "committed";
  const failed = (code: number, at: number) =>
    (code === 1 || code === 3) && outcomes.some((outcome, other) => other !== at && isWritten(outcome));
  if (codes.includes(4) || codes.some(failed)) return 4;
  return [1, 3, 2].find((code) => codes.includes(code as 1 | 2 | 3)) ?? 0;
}
