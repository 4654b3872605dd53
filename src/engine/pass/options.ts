import type { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import type { WriteLease } from "../../core/write-lease.js";
import type { CommandPolicy } from "../../desired/commands.js";
import type { TargetConfiguration } from "../../desired/configuration.js";
import type { KindRegistry } from "../../desired/kind.js";
import type { PushCourse } from "../../outcome/push-course.js";
import type { KindGuards, Plan } from "../../plan/model.js";
import type { Absences } from "../absences.js";
import type { StepObserver } from "../apply/steps.js";
import type { Approvals } from "../approvals.js";
import type { AskVerdicts } from "../artifacts.js";
import type { Device } from "../device-identity.js";
import type { ReplayWish } from "../insight/traffic.js";
import type { InsightWork } from "../insight/work.js";
import type { StoreLedgers } from "../ledger/open-ledger.js";
import type { PolicyRole } from "../policies.js";
import type { ReadTarget } from "../target.js";
import type { ProbeNetwork } from "../watch/probe-network.js";
import type { WriteTarget } from "../write-target.js";
import type { Machine } from "./process.js";

/** How a pass that only reads reaches targets. */
export interface Readers {
  reader(configuration: TargetConfiguration): ReadTarget | Promise<ReadTarget>;
  /** What a kind of target knows of danger. */
  guards(kind: string): KindGuards | Promise<KindGuards>;
  /** Of a kind whose trees hold rules. */
  policies?(kind: string): PolicyRole | undefined;
}

/** How a pass that may write reaches them. */
export interface Writers extends Readers {
  writer(configuration: TargetConfiguration): WriteTarget | Promise<WriteTarget>;
}

export interface PassOptions {
  /** Absolute path of `plumbline.yaml`. */
  readonly configurationFile: string;
  /** Absolute path of the folder for journal, ledgers and keys. */
  readonly stateFolder: string;
  readonly kinds: KindRegistry;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly machine: Machine;
  /** Which commands of `${exec:}` may run. Absent: none for a pass that only reads, all for one that writes (ADR 15). */
  readonly mayRun?: CommandPolicy | undefined;
  /** Names of `--target`; all targets when empty. */
  readonly targets: readonly string[];
  /** What is planned is for a run by hand to write, in this very process: no agent brings it in waves. */
  readonly isByHand?: boolean | undefined;
  /** `--path`. */
  readonly only: Path | undefined;
  /** `--allow`: guard to value. */
  readonly allow: ReadonlyMap<string, string>;
  readonly allowEmptyLive: readonly Path[];
  readonly allowNonDescendant: boolean;
  /** `agent.source.allowRewind` of an agent: a commit that does not follow the last applied one may change values back. */
  readonly allowRewind?: boolean | undefined;
  /** `--ledger`: `git`, `store`, a file or a URL; before what plumbline.yaml says. */
  readonly ledger: string | undefined;
  /** Devices that this process writes to. Set by processes that visit targets one by one. */
  readonly devices?: { claim(target: string, device: Device): void } | undefined;
  /** Since when firewalls are away; remembered in the state folder when left out. */
  readonly absences?: Absences | undefined;
  /** Ledgers in the agents' store, where this run knows of one. */
  readonly storeLedgers?: StoreLedgers | undefined;
  /** Approvals in the agent's store of this machine. */
  readonly storedApprovals?: Approvals | undefined;
  /** `--rotate`. */
  readonly rotateSecrets: boolean;
  /** 32 bytes; the key in the state folder when undefined. */
  readonly fingerprintKey?: Buffer | undefined;
  /** Values that another target will give once it is written to may stay unknown, although this run does not write to it. */
  readonly acceptKnownAfterApply?: boolean | undefined;
  /** Targets that no document speaks of are looked at, too: a question, and no plan. */
  readonly withUndeclared?: boolean | undefined;
  /** Targets worked on at once. */
  readonly concurrency?: number | undefined;
  /** Whether it is said what becomes reachable, which may take reading more of a target. */
  readonly insight?: boolean | undefined;
  /** Who works that out, and what becomes of assertions; this process when left out. */
  readonly insightWork?: InsightWork | undefined;
  /** Sessions that targets logged, to be judged by what is planned. */
  readonly replay?: ReplayWish | undefined;
  /** Verdicts of the files that documents list; where it is left out, none can be had. */
  readonly verdicts?: AskVerdicts | undefined;
  /** `counted`: how far the step is, where it has parts. */
  readonly progress?: ((target: string, text: string, counted?: { readonly done: number; readonly all: number }) => void) | undefined;
  /** Told where each firewall of a push stands, whenever one of them comes on. */
  readonly pushing?: ((target: string, course: PushCourse) => void) | undefined;
  /** Told when work on so many targets has begun, and ended. */
  readonly tally?: ((begun: number, ended: number) => void) | undefined;
  readonly warn?: ((warning: PlumblineError) => void) | undefined;
  /** Aborted: finish the request under way, put back what is not committed, stop. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * A pass that no flag says anything of: everything, no guard lifted, the ledger at its usual place.
 *
 * @internal Exported for tests, whose passes have no command line.
 */
export const withoutFlags = {
  only: undefined,
  allow: new Map(),
  allowEmptyLive: [],
  allowNonDescendant: false,
  ledger: undefined,
  rotateSecrets: false,
} as const satisfies Partial<PassOptions>;

export interface WriteOptions {
  /** `--takeover`: whatever our own administrator left behind is ours to clean up. */
  readonly takeover: boolean;
  /** Seconds to wait for another's lock to go. */
  readonly lockTimeout: number;
  /** `apply plan.json`: the only digest, by target, that may be applied. */
  readonly digests?: ReadonlyMap<string, string> | undefined;
  /** What each of them does (`effect`), where the plan file says it: another commit that does the same is as good. */
  readonly effects?: ReadonlyMap<string, string> | undefined;
  /** Plans of targets that waited for others, as they were before anything was written. */
  readonly confirmed?: ReadonlyMap<string, Plan> | undefined;
  /** Waits; injected so that tests need not. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** What probes after a commit reach the world by; that of this machine when left out. */
  readonly network?: ProbeNetwork | undefined;
  /**
   * Asked to stop while a commit is watched, the run leaves the decision to the next one (for an agent that is started
   * again) instead of taking the commit back.
   */
  readonly leaveWatch?: boolean | undefined;
  /** What a push brings was there before: nobody waits for a canary that is away. */
  readonly isWayBack?: boolean | undefined;
  readonly observer?: StepObserver | undefined;
  /** Where several agents may write to a target: ours, which must be held at each write. */
  readonly lease?: WriteLease | undefined;
}
