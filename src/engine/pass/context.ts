import { dayOf } from "../../core/day.js";
import type { PlumblineError } from "../../core/errors.js";
import type { RolloutSettings, WindowSettings } from "../../desired/configuration/agent.js";
import type { GuardLimits, Mode, TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { DesignSettings } from "../../desired/configuration/design-schema.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { ArtifactVerdict } from "../../outcome/artifact-verdict.js";
import type { KindGuards } from "../../plan/model.js";
import type { PolicyRole } from "../../reachability/policy-role.js";
import type { AcceptedHistory } from "../accepted-history.js";
import type { Approvals } from "../approvals.js";
import type { Checkout } from "../checkout/checkout.js";
import type { Fingerprints } from "../ledger/fingerprints.js";
import type { Ledger } from "../ledger/ledger.js";
import type { LedgerStore } from "../ledger/store.js";
import type { Notices } from "../notices.js";
import type { Pause } from "../pause.js";
import type { PassOptions } from "./options.js";
import type { OthersSource } from "./other-targets.js";
import type { TargetCount } from "./targets-per-run.js";

/** Settings of plumbline.yaml that bind every run of a target. */
interface TargetSettings {
  /** More accounts of the owner, in addition to the login of this run. */
  readonly administrators: readonly string[];
  /** Subtrees with a weaker mode than the target's, by XPath. */
  readonly pathModes: ReadonlyMap<string, Mode>;
  /** `agent.windows` of plumbline.yaml: they bind every runner. */
  readonly windows: readonly WindowSettings[];
  /** `agent.rollout`: limits of an agent for commits that change many targets. */
  readonly rollout: RolloutSettings;
  readonly guards: GuardLimits;
  /** Conventions for new rules. */
  readonly design?: DesignSettings | undefined;
}

/** What earlier runs and people recorded about a target. */
export interface TargetRecords {
  /** Proves ledger rows with the documents of earlier commits. */
  readonly history: AcceptedHistory;
  readonly ledger: Ledger;
  readonly notices: Notices;
  /** The approvals that count for this runner. */
  readonly approvals: Approvals;
  /** Pauses for the status of a report. A write reads `notices` instead. */
  readonly pauses: () => Promise<readonly Pause[]>;
  /** Leases of targets that have no lock, in the same place as the ledger. */
  readonly leases: LedgerStore;
  readonly fingerprints: Fingerprints;
}

/** What a target needs from other targets. */
export interface TargetDependencies {
  /** Other targets that this one refers to. */
  readonly dependsOn: ReadonlySet<string>;
  /** Whether this run writes a dependency before this target. */
  readonly awaitsDependencies: boolean;
  /** Whether some values are known after apply. */
  readonly hasKnownAfterApply: boolean;
  /** Warnings about items that `where:` of a `$forEach` omitted. */
  readonly leftOut: readonly string[];
  /** Errors of references. A target with such an error is not planned. */
  readonly broken: readonly PlumblineError[];
  /** Dependencies that this run could not bring to their desired state. */
  readonly blockedBy?: readonly string[] | undefined;
  /** Reads other targets, for complete paths of flows. */
  readonly others?: OthersSource | undefined;
}

/** The run that this target belongs to. */
interface RunOfTarget {
  /** Number of targets that `--target` excluded from the run. */
  readonly targetsOmitted?: number | undefined;
  /** Returns warnings about targets that left the configuration. Only one context of a run has it. */
  readonly departed?: (() => Promise<readonly string[]>) | undefined;
  /** Targets that count together with this one. Undefined for a single target. */
  readonly atOnce?: TargetCount | undefined;
}

/** Everything that a pass knows about one target before its first request. */
export interface TargetContext {
  readonly name: string;
  readonly owner: string;
  readonly configuration: TargetConfiguration;
  readonly desired: DesiredTarget;
  readonly checkout: Checkout;
  readonly options: PassOptions;
  readonly kindGuards: KindGuards;
  /** Flow analysis, for kinds with rules. */
  readonly policies: PolicyRole | undefined;
  readonly settings: TargetSettings;
  readonly records: TargetRecords;
  readonly dependencies: TargetDependencies;
  readonly run: RunOfTarget;
  /** Verdicts on the files that documents list, after they were requested. */
  readonly verdicts?: readonly ArtifactVerdict[] | undefined;
  /** Reloads the context with live values, after the `settled` targets were written. */
  reload(settled: ReadonlySet<string>): Promise<TargetContext>;
}

/** Returns the date as yyyy-mm-dd in UTC. */
export function today(context: TargetContext): string {
  return dayOf(context.options.machine.now());
}
