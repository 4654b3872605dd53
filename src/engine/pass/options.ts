import type { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import type { WriteLease } from "../../core/write-lease.js";
import type { CommandPolicy } from "../../desired/commands.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { KindRegistry } from "../../desired/kind.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { PushCourse } from "../../outcome/push-course.js";
import type { KindGuards, Plan } from "../../plan/model.js";
import type { InsightWork } from "../../reachability/changes/analysis.js";
import type { PolicyRole } from "../../reachability/policy-role.js";
import type { ReplayRequest } from "../../reachability/traffic/traffic.js";
import type { Absences } from "../absences.js";
import type { StepObserver } from "../apply/steps.js";
import type { StoredApprovals } from "../approvals.js";
import type { ReadVerdicts } from "../artifacts.js";
import type { Device } from "../device-identity.js";
import type { StoreLedgers } from "../ledger/open-ledger.js";
import type { ReadTarget } from "../target.js";
import type { ProbeNetwork } from "../watch/probe-network.js";
import type { WriteTarget } from "../write-target.js";
import type { Machine } from "./machine.js";

/** The part of a device registry that passes use. */
interface Devices {
  claim(target: string, device: Device): void;
  withRefusals(outcomes: readonly TargetOutcome[]): TargetOutcome[];
}

/** Opens targets for reading. */
export interface Readers {
  reader(configuration: TargetConfiguration): ReadTarget | Promise<ReadTarget>;
  /** Returns the guards of a target kind. */
  guards(kind: string): KindGuards | Promise<KindGuards>;
  /** Returns the flow analysis of a kind with rules. */
  policies?(kind: string): PolicyRole | undefined;
}

/** Opens targets for reading and writing. */
export interface Writers extends Readers {
  writer(configuration: TargetConfiguration): WriteTarget | Promise<WriteTarget>;
}

/** The documents of a pass, and what they may read. */
export interface SourceOptions {
  /** Absolute path of `plumbline.yaml`. */
  readonly configurationFile: string;
  /** Texts that replace the content of documents, by path relative to the folder of plumbline.yaml. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  readonly kinds: KindRegistry;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which commands of `${exec:}` may run. Absent: empty for a pass that only reads, complete for one that writes (ADR 11). */
  readonly mayRun?: CommandPolicy | undefined;
}

/** The targets and paths of a pass. */
interface SelectionOptions {
  /** Names from `--target`. Empty for all targets. */
  readonly targets: readonly string[];
  /** `--path`. */
  readonly only: Path | undefined;
  /** Includes targets without documents, for questions that need no plan. */
  readonly withUndeclared?: boolean | undefined;
  /** Accepts values that are known after apply of another target, although this run does not write that target. */
  readonly acceptKnownAfterApply?: boolean | undefined;
  /** `--unmanaged`: the outcome lists unmanaged entries instead of only counting them. */
  readonly listsUnmanaged?: boolean | undefined;
}

/** Flags that permit more than the default. */
interface OverrideOptions {
  /** `--allow`: guard to value. */
  readonly allow: ReadonlyMap<string, string>;
  readonly allowEmptyLive: readonly Path[];
  readonly allowNonDescendant: boolean;
  /** `agent.source.allowRewind` of an agent: a commit that does not follow the last applied one may change values back. */
  readonly allowRewind?: boolean | undefined;
  /** `--rotate`. */
  readonly rotateSecrets: boolean;
}

/** Where a pass keeps its records. */
export interface StoreOptions {
  /** Absolute path of the folder for journal, ledgers and keys. */
  readonly stateFolder: string;
  /** `--ledger`: `git`, `store`, a file or a URL. Overrides plumbline.yaml. */
  readonly ledger: string | undefined;
  /** Devices that this process writes to. Set by processes that visit targets one by one. */
  readonly devices?: Devices | undefined;
  /** Times since when firewalls are disconnected. The default keeps them in the state folder. */
  readonly absences?: Absences | undefined;
  /** Ledgers in the agents' store, if this run has access to one. */
  readonly storeLedgers?: StoreLedgers | undefined;
  /** Approvals in the agent's store of this machine. */
  readonly storedApprovals?: StoredApprovals | undefined;
  /** 32 bytes. The default is the key in the state folder. */
  readonly fingerprintKey?: Buffer | undefined;
}

/** Additional analysis of a plan. */
export interface AnalysisOptions {
  /** Whether to analyse flows. This may need more reads. */
  readonly insight?: boolean | undefined;
  /** Where flows and assertions are analysed. The default is this process. */
  readonly insightWork?: InsightWork | undefined;
  /** Logged sessions to replay against the plan. */
  readonly replay?: ReplayRequest | undefined;
  /** Requests verdicts on files that documents list. Without it there are none. */
  readonly verdicts?: ReadVerdicts | undefined;
}

/** Functions that a pass calls while it runs. */
interface PassListeners {
  /** Receives progress. `counted`: completed and total parts of the step, if it has parts. */
  readonly progress?: ((target: string, text: string, counted?: { readonly done: number; readonly all: number }) => void) | undefined;
  /** Receives the progress of a push whenever one of its firewalls advances. */
  readonly pushing?: ((target: string, course: PushCourse) => void) | undefined;
  /** Receives the number of targets whose work has begun or ended. */
  readonly tally?: ((begun: number, ended: number) => void) | undefined;
  readonly warn?: ((warning: PlumblineError) => void) | undefined;
}

/** Options of a pass, by subject. */
export interface PassOptions {
  readonly source: SourceOptions;
  readonly selection: SelectionOptions;
  readonly overrides: OverrideOptions;
  readonly stores: StoreOptions;
  readonly analysis: AnalysisOptions;
  readonly listeners: PassListeners;
  readonly machine: Machine;
  /** Set if this process itself will write the plan, so that no agent rolls it out in waves. */
  readonly isByHand?: boolean | undefined;
  /** Number of targets in parallel. */
  readonly concurrency?: number | undefined;
  /** If aborted, the run finishes its current request, reverts uncommitted changes and stops. */
  readonly stop?: AbortSignal | undefined;
}

/** Options of an agent's passes. The agent adds the checkout and the target of each pass. */
export interface AgentPassOptions extends Omit<PassOptions, "source" | "selection"> {
  readonly source: Omit<SourceOptions, "configurationFile">;
}

/**
 * Options of a run without flags: all paths of all targets, and no guard overridden.
 *
 * @internal Exported for tests, whose passes have no command line.
 */
export const withoutFlags = {
  selection: { targets: [], only: undefined },
  overrides: { allow: new Map(), allowEmptyLive: [], allowNonDescendant: false, rotateSecrets: false },
  analysis: {},
  listeners: {},
} as const satisfies Partial<PassOptions>;

export interface WriteOptions {
  /** `--takeover`: revert uncommitted changes of the run's own account before the run. */
  readonly takeover: boolean;
  /** Seconds to wait for the lock of another administrator. */
  readonly lockTimeout: number;
  /** `apply plan.json`: the only digest that may be applied, by target. */
  readonly digests?: ReadonlyMap<string, string> | undefined;
  /** Effects from the plan file, by target. A plan at another commit with the same effect may be applied too. */
  readonly effects?: ReadonlyMap<string, string> | undefined;
  /** Plans of dependent targets, from before the first write. */
  readonly confirmed?: ReadonlyMap<string, Plan> | undefined;
  /** Waits for this many milliseconds. Injected for tests. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Network of the probes after a commit. The default is the network of this machine. */
  readonly network?: ProbeNetwork | undefined;
  /**
   * If the run is stopped while a commit is watched, it leaves the decision to the next run instead of rolling the commit back.
   * Agents use this for restarts.
   */
  readonly leaveWatch?: boolean | undefined;
  /** Set for rollbacks: the push restores an earlier state, so it does not wait for a disconnected canary. */
  readonly isWayBack?: boolean | undefined;
  readonly observer?: StepObserver | undefined;
  /** Lease of this agent, checked before each write. Set if several agents may write the target. */
  readonly lease?: WriteLease | undefined;
}
