/** Data that the server sends to the page. Both share this file. Times are seconds since 1970 UTC. */

import type { PageRole } from "../../desired/configuration/page-settings.js";
import type { CurrentAssertions } from "../../outcome/assertion.js";
import type { Level } from "../../outcome/levels.js";
import type { PushCourse } from "../../outcome/push-course.js";
import type { PackedRow } from "./fleet-row.js";

export interface PauseView {
  /** Empty for every target. */
  readonly target: string;
  readonly reason: string;
  readonly by: string;
  readonly since: number;
  /** 0 for an indefinite pause. */
  readonly until: number;
}

export interface CommitView {
  readonly id: string;
  readonly author: string;
  readonly at: number;
  /** First line of the message. Empty if the user may not read every target, because the message may name any target. */
  readonly message: string;
}

/** Progress of the unfinished roll-out of a commit in several waves. */
export interface RolloutView {
  readonly commit: string;
  /** Number of the current wave, from 1. */
  readonly wave: number;
  readonly of: number;
  /** Failed targets block the later waves. */
  readonly isStopped: boolean;
  /** Failed targets of the current wave. */
  readonly failed: readonly string[];
  /** Other targets of the current wave that do not have the commit yet. */
  readonly open: readonly string[];
  /** Number of targets in later waves. */
  readonly left: number;
}

/** Data about the fleet. */
export interface MetaView {
  readonly version: string;
  /** Active commit. */
  readonly commit: string;
  /** Author, time and message of the active commit. */
  readonly head?: CommitView | undefined;
  /** Address of the repository. */
  readonly source: string;
  /** Base folder of source files in drift and plans. Empty for the root of the repository. */
  readonly folder?: string | undefined;
  readonly pauses: readonly PauseView[];
  readonly rollout?: RolloutView | undefined;
  /** Problems of the agent, such as a store that cannot be written or a repository that does not answer. */
  readonly alarms: readonly string[];
  /** OpenStack and a controller are configured, so that they can be compared. */
  readonly hasAudit: boolean;
}

export interface FleetView {
  readonly now: number;
  readonly meta: MetaView;
  readonly rows: readonly PackedRow[];
}

/** Line of a document, relative to the folder of `plumbline.yaml`. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Change as in the JSON report, with data of the store. Trees are XML text, and secrets are labels. */
export interface DriftView {
  readonly kind: "missing" | "extra" | "differs" | "order" | "renamed" | "unmanaged";
  readonly xpath: string;
  readonly before?: string | readonly string[] | undefined;
  readonly after?: string | readonly string[] | undefined;
  readonly moved?: readonly string[] | undefined;
  /** The rule that a new rule follows. Empty: it is the first. */
  readonly follows?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly source?: Place | undefined;
  readonly author?: string | undefined;
  /** Time of the change as text, for example ` at 2026/11/20 10:00:00`. Empty if it is unknown. */
  readonly authorTime?: string | undefined;
  readonly firstSeen?: number | undefined;
}

export interface OperationView {
  readonly phase: string;
  readonly action: string;
  readonly xpath: string;
  readonly element?: string | undefined;
  readonly where?: string | undefined;
  readonly dst?: string | undefined;
  readonly newname?: string | undefined;
}

/** Plan part of the JSON report. */
export interface PlanView {
  readonly digest: string;
  readonly changes: readonly DriftView[];
  readonly refusals: readonly {
    readonly guard: string;
    readonly message: string;
    readonly xpath?: string;
    readonly allow?: string;
    readonly source?: Place;
  }[];
  readonly meaning: readonly { readonly xpath: string; readonly message: string }[];
  readonly operations: readonly OperationView[];
  readonly commitOnly: boolean;
  /** Lines about flows that become reachable or blocked. Undefined if this is not computed for the target. */
  readonly reachable?: readonly string[] | undefined;
}

export interface ErrorView {
  readonly code: string;
  readonly message: string;
  readonly next?: string | undefined;
}

/** Newest finished pass. */
export interface PassView {
  readonly at: number;
  readonly outcome: string;
  readonly summary: string;
  readonly commit: string;
  readonly error?: ErrorView | undefined;
}

interface RuleEndView {
  /** Example: `web-03 in source of web-to-db`. */
  readonly text: string;
  /** Last day, yyyy-mm-dd. */
  readonly until: string;
  readonly isOver: boolean;
}

export interface TargetView {
  readonly row: PackedRow;
  readonly drift: readonly DriftView[];
  /** Commit of the lines in `drift`. Empty if unknown. */
  readonly driftCommit?: string | undefined;
  /** `json` is undefined if the plan was too long to be stored. */
  readonly plan:
    | {
        readonly planned: number;
        readonly digest: string;
        readonly json: PlanView | undefined;
        /** Commit of the lines in the plan. Empty if unknown. */
        readonly commit?: string | undefined;
        /** The plan needs an approval. */
        readonly waitsForApproval?: boolean | undefined;
        /** Values of `--allow` that override all refusals. Undefined if they cannot be overridden on the page. */
        readonly flags?: readonly string[] | undefined;
      }
    | undefined;
  readonly pass: PassView | undefined;
  /** Author, time and message of the commit of the pass. */
  readonly commit?: CommitView | undefined;
  /** Result of the last check of the assertions against the running configuration. Undefined without assertions. */
  readonly assertions?: (CurrentAssertions & { readonly judged: number; readonly commit: string }) | undefined;
  /** Number of live entries that no document declares, next to declared ones, from the last pass that counted them. */
  readonly unmanaged?: number | undefined;
  /** Levels of a manager and its firewalls, from the last pass that read them. */
  readonly levels?: { readonly seen: number; readonly all: readonly Level[] } | undefined;
  /** Current or last push of this agent to the firewalls of a manager. */
  readonly push?: PushCourse | undefined;
  /** The next rules and members whose end date has passed or is near, the earliest first, and their number. */
  readonly ends?: { readonly first: readonly RuleEndView[]; readonly count: number } | undefined;
  /** Hold after a failed apply. */
  readonly hold: { readonly reason: string; readonly attempts: number; readonly nextTry: number } | undefined;
  readonly warnings: readonly string[];
  /** Roles of the user on the target. */
  readonly may: readonly PageRole[];
  /** Name of the user. Empty for a visitor. */
  readonly seenBy: string;
}

export interface HistoryRowView {
  readonly id: number;
  readonly kind: string;
  readonly at: number;
  /** 0 if it has not ended or has no duration. */
  readonly ended: number;
  readonly target: string;
  readonly path: string;
  readonly author: string;
  readonly outcome: string;
  readonly summary: string;
  /** Commit of the row. Only its id is set if the clone does not contain it. */
  readonly commit?: CommitView | undefined;
}

export interface HistoryView {
  readonly rows: readonly HistoryRowView[];
  /** Empty on the last page. */
  readonly next: string;
}

export interface AuditFindingView {
  readonly kind: "only-in-network-service" | "only-in-controller" | "differs" | "re-keyed" | "lookup-row";
  readonly what: "network" | "subnet";
  readonly network: string;
  readonly subnet?: string | undefined;
  readonly id: string;
  readonly field?: string | undefined;
  readonly networkService?: string | undefined;
  readonly controller?: string | undefined;
}

/** `audit` of the JSON report, or an error. */
export interface AuditView {
  /** Time of the audit. */
  readonly at: number;
  readonly results: readonly {
    readonly target: string;
    readonly audit?:
      | {
          readonly networkService: string;
          readonly controller: string;
          readonly networks: number;
          readonly subnets: number;
          readonly outside: number;
          readonly findings: readonly AuditFindingView[];
        }
      | undefined;
    readonly error?: ErrorView | undefined;
  }[];
}

export interface SessionView {
  /** Empty if no user is signed in. */
  readonly name: string;
  /** CSRF token. It is required for every request that changes something. */
  readonly csrf: string;
  /** Whether a sign-in is possible. */
  readonly canSignIn: boolean;
  /** Whether a token can be entered, and a name with the shared token. */
  readonly takes: { readonly token: boolean; readonly name: boolean };
  /** Host of the provider. Empty without one. */
  readonly provider: string;
  /** The session with the provider has expired. A redirect to the provider renews it. */
  readonly askAgain: boolean;
  /** Roles of the user on every target. */
  readonly may: readonly PageRole[];
  /** The user may see no target. */
  readonly seesNothing: boolean;
}

/** All data of `plumbline report --html`. */
export interface StaticView {
  readonly fleet: FleetView;
  readonly targets: Readonly<Record<string, TargetView>>;
  readonly audit: AuditView | undefined;
}

/** Answer to an access request. */
export interface AccessView {
  /** Empty: the targets on the path of the flow, in `hops`. */
  readonly target: string;
  readonly commit: string;
  /** Zones are empty if they are unknown. */
  readonly request: {
    readonly from: string;
    readonly fromZone: string;
    readonly to: string;
    readonly toZone: string;
    readonly service: string;
    readonly application: string;
  };
  /** Rulebase that decides. Empty if the request was refused before. */
  readonly scope: string;
  readonly state: "allowed" | "conditional" | "designed" | "refused";
  /** The rules that decide now, as text. Empty for a path. */
  readonly now: readonly string[];
  /** Empty for a path. */
  readonly designs: readonly AccessDesignView[];
  /** Targets on the path of the flow, in its order. Empty for a named target. */
  readonly hops: readonly AccessHopView[];
  /** Number of the design in `files`, from 1. 0 without a design. */
  readonly chosen: number;
  /** Changed lines of the documents, as in a unified diff. */
  readonly files: readonly { readonly file: string; readonly lines: readonly string[] }[];
  /** Why it is refused. */
  readonly reasons: readonly string[];
  /** Why the edit cannot be used. */
  readonly faults: readonly string[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  /** Identifies the edit for its proposal. Empty if there is none. */
  readonly digest: string;
  /** A code host is configured. */
  readonly canPropose: boolean;
  /** Set after a proposal. `isNew`: false if the same edit was proposed before. */
  readonly proposed?: { readonly branch: string; readonly url: string; readonly isNew: boolean } | undefined;
}

/** Answer of one target on the path of a flow. Its first design is used. */
export interface AccessHopView
  extends Pick<AccessView, "target" | "request" | "scope" | "state" | "now" | "designs" | "reasons" | "notes"> {}

export interface AccessDesignView {
  readonly summary: string;
  /** Some flows of the request may stay denied: see `notes`. */
  readonly isPartial: boolean;
  /** Flows outside the request that it opens. */
  readonly excess: readonly string[];
  readonly notes: readonly string[];
}

/** Targets for which the user may request access. */
export interface AccessTargets {
  readonly targets: readonly string[];
  /** The user may ask about the path of a flow: the role covers every target, and there are several. */
  readonly paths: boolean;
}
