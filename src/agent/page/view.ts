/** What the page is told, and nothing else: server and browser share this file. Times are seconds since 1970 UTC. */

import type { PageRole } from "../../desired/configuration/page-settings.js";
import type { StandingAssertions } from "../../outcome/assertion.js";
import type { Level } from "../../outcome/levels.js";
import type { PushCourse } from "../../outcome/push-course.js";
import type { PackedRow } from "./fleet-row.js";

export interface PauseView {
  /** Empty: every target. */
  readonly target: string;
  readonly reason: string;
  readonly by: string;
  readonly since: number;
  /** 0: until resumed. */
  readonly until: number;
}

export interface CommitView {
  readonly id: string;
  readonly author: string;
  readonly at: number;
  /** Its first line; empty for who may not read every target, of which it may speak. */
  readonly message: string;
}

/** What concerns the whole fleet. */
export interface MetaView {
  readonly version: string;
  /** The commit in force. */
  readonly commit: string;
  /** What is known of it. */
  readonly head?: CommitView | undefined;
  /** The repository. */
  readonly source: string;
  /** Where files of drift and plans lie, from its root; empty for the root. */
  readonly folder?: string | undefined;
  readonly pauses: readonly PauseView[];
  /** What is wrong with the agent itself: a store that cannot be written, a repository that does not answer. */
  readonly alarms: readonly string[];
  /** There are a cloud and a controller to hold against each other. */
  readonly hasAudit: boolean;
}

export interface FleetView {
  readonly now: number;
  readonly meta: MetaView;
  readonly rows: readonly PackedRow[];
}

/** A line of a document, from the folder of `plumbline.yaml`. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** A change as the JSON report shows it, with what the store knows of it. Trees are XML text, secrets labels. */
export interface DriftView {
  readonly kind: "missing" | "extra" | "differs" | "order" | "renamed" | "unmanaged";
  readonly xpath: string;
  readonly before?: string | readonly string[] | undefined;
  readonly after?: string | readonly string[] | undefined;
  readonly moved?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly source?: Place | undefined;
  readonly author?: string | undefined;
  /** In the target's own clock. */
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

/** The plan part of the JSON report. */
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
  /** What becomes reachable and what no more, in lines; undefined where that is not asked of it. */
  readonly reachable?: readonly string[] | undefined;
}

export interface ErrorView {
  readonly code: string;
  readonly message: string;
  readonly next?: string | undefined;
}

/** The newest pass that ended. */
export interface PassView {
  readonly at: number;
  readonly outcome: string;
  readonly summary: string;
  readonly commit: string;
  readonly error?: ErrorView | undefined;
}

export interface TargetView {
  readonly row: PackedRow;
  readonly drift: readonly DriftView[];
  /** The commit whose lines drift names; empty where that is not known. */
  readonly driftCommit?: string | undefined;
  /** `json` is undefined where the plan was too long to be kept. */
  readonly plan:
    | {
        readonly planned: number;
        readonly digest: string;
        readonly json: PlanView | undefined;
        /** The commit whose lines it names; empty where that is not known. */
        readonly commit?: string | undefined;
        /** It is applied only once somebody has approved it. */
        readonly waitsForApproval?: boolean | undefined;
        /** What would let it pass, as `--allow` has it; undefined where nothing on this page would. */
        readonly flags?: readonly string[] | undefined;
      }
    | undefined;
  readonly pass: PassView | undefined;
  /** What is known of the commit of the pass. */
  readonly commit?: CommitView | undefined;
  /** How its assertions stand, when they were last judged by what is in force; undefined where there are none. */
  readonly assertions?: (StandingAssertions & { readonly judged: number; readonly commit: string }) | undefined;
  /** Of a manager and its firewalls, by the last look that came to them. */
  readonly levels?: { readonly seen: number; readonly all: readonly Level[] } | undefined;
  /** Of a manager: the push that this agent is at, or was at last. */
  readonly push?: PushCourse | undefined;
  /** A commit whose apply failed. */
  readonly hold: { readonly reason: string; readonly attempts: number; readonly nextTry: number } | undefined;
  readonly warnings: readonly string[];
  /** What whoever asks may do to it. */
  readonly may: readonly PageRole[];
  /** The name of whoever asks; empty for a visitor. */
  readonly seenBy: string;
}

export interface HistoryRowView {
  readonly id: number;
  readonly kind: string;
  readonly at: number;
  /** 0: not ended, or a moment. */
  readonly ended: number;
  readonly target: string;
  readonly path: string;
  readonly author: string;
  readonly outcome: string;
  readonly summary: string;
  /** The commit that it is about: its id alone where no more is known. */
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

/** `audit` of the JSON report, or why there is none. */
export interface AuditView {
  /** When it was read. */
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
  /** Empty: nobody is signed in. */
  readonly name: string;
  /** Goes with every request that changes something. */
  readonly csrf: string;
  /** Somebody can sign in. */
  readonly canSignIn: boolean;
  /** A token can be typed; with a name, where it is the one for all. */
  readonly takes: { readonly token: boolean; readonly name: boolean };
  /** The host of the provider; empty where there is none. */
  readonly provider: string;
  /** The session with the provider's word is over: to ask it again takes no more than to go there. */
  readonly askAgain: boolean;
  /** What may be done to every target. */
  readonly may: readonly PageRole[];
  /** There is nothing to see for whoever asks. */
  readonly seesNothing: boolean;
}

/** Everything at once: what `plumbline report --html` puts into its one file. */
export interface StaticView {
  readonly fleet: FleetView;
  readonly targets: Readonly<Record<string, TargetView>>;
  readonly audit: AuditView | undefined;
}
