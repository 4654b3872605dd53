import type { PlumblineError } from "../../core/errors.js";
import type { RolloutSettings, WindowSettings } from "../../desired/configuration/agent.js";
import type { GuardLimits, Mode, TargetConfiguration } from "../../desired/configuration.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { ArtifactVerdict } from "../../outcome/artifact-verdict.js";
import type { KindGuards } from "../../plan/model.js";
import type { AcceptedHistory } from "../accepted-history.js";
import type { Approvals } from "../approvals.js";
import type { Checkout } from "../checkout.js";
import type { OthersSource } from "../insight/other-targets.js";
import type { Fingerprints } from "../ledger/fingerprints.js";
import type { LedgerStore } from "../ledger/store.js";
import type { Ledger } from "../ledger.js";
import type { Notices } from "../notices.js";
import type { Pause } from "../pause.js";
import type { PolicyRole } from "../policies.js";
import type { AtOnce } from "./at-once.js";
import type { PassOptions } from "./options.js";

/** What a pass knows of one target before it asks the target anything. */
export interface TargetContext {
  readonly name: string;
  readonly owner: string;
  /** Accounts of the owner beside the one that we log in with. */
  readonly administrators: readonly string[];
  readonly configuration: TargetConfiguration;
  readonly desired: DesiredTarget;
  /** Subtrees with a weaker mode than the target's, by XPath. */
  readonly pathModes: ReadonlyMap<string, Mode>;
  /** `agent.windows` of plumbline.yaml: they bind every runner. */
  readonly windows: readonly WindowSettings[];
  /** `agent.rollout`: what an agent would do of a commit that touches many. */
  readonly rollout: RolloutSettings;
  readonly guards: GuardLimits;
  readonly kindGuards: KindGuards;
  /** Of a kind whose trees hold rules. */
  readonly policies: PolicyRole | undefined;
  readonly checkout: Checkout;
  /** Proves rows of the ledger by the documents at former commits. */
  readonly history: AcceptedHistory;
  readonly ledger: Ledger;
  readonly notices: Notices;
  /** The approvals that count for this runner. */
  readonly approvals: Approvals;
  /** Pauses for the status of a report. A write reads `notices` instead. */
  readonly pauses: () => Promise<readonly Pause[]>;
  /** Where the leases of targets without a lock of their own are: the place of the ledger. */
  readonly leases: LedgerStore;
  readonly fingerprints: Fingerprints;
  readonly options: PassOptions;
  /** Other targets that this one refers to. */
  readonly dependsOn: ReadonlySet<string>;
  /** One of those is written to in this run, before this one. */
  readonly awaitsDependencies: boolean;
  /** Holds values that only an apply of this run will tell. */
  readonly hasKnownAfterApply: boolean;
  /** What `where:` of a `$forEach` left out. */
  readonly leftOut: readonly string[];
  /** Why references cannot be resolved; such a target is not planned. */
  readonly broken: readonly PlumblineError[];
  /** Loaded again, live values included, when `settled` targets have been worked on. */
  again(settled: ReadonlySet<string>): Promise<TargetContext>;
  /** Number of targets that `--target` excluded from the run. */
  readonly targetsOmitted?: number | undefined;
  /** Warnings about targets that left the configuration. Only the first context of a run has them. */
  readonly departed?: readonly string[] | undefined;
  /** Targets that this one refers to and that this run left in another state than is wanted. */
  readonly blockedBy?: readonly string[] | undefined;
  /** What is written together with this target; undefined where it is written alone. */
  readonly atOnce?: AtOnce | undefined;
  /** How other targets are read, for what is judged of whole paths. */
  readonly others?: OthersSource | undefined;
  /** Of the files that documents list, once they were asked for. */
  readonly verdicts?: readonly ArtifactVerdict[] | undefined;
}

/** yyyy-mm-dd in UTC. */
export function today(context: TargetContext): string {
  return new Date(context.options.machine.now()).toISOString().slice(0, 10);
}
