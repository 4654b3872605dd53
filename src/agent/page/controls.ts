import type { Allowance } from "../../engine/allowance.js";
import type { Approval, Pause } from "../../engine/pause.js";
import type { AtWork } from "../../engine/runs-at-work.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { TargetFacts } from "../controls.js";
import type { CommitFacts } from "../git/describe.js";

/** @internal Exported for tests that make one. */
export type Wish = "plan" | "reconcile";

/** What a page may ask of the agent that serves it. */
export interface Controls {
  /** Of the commit in force. */
  targets(): ReadonlyMap<string, TargetFacts>;
  commit(): string | undefined;
  /** Undefined where the clone does not know it (any more). */
  describe(commit: string): Promise<CommitFacts | undefined>;
  readonly source: string;
  /** The folder of `plumbline.yaml` from the root of the repository; empty for the root. */
  folder(): string;
  pauses(): Promise<readonly Pause[]>;
  /**
   * Where every runner sees it (docs/adr/0026-notices-are-asked-before-each-write.md). Gives what is known of runs that had begun to
   * write before, and those of which nobody can tell.
   */
  pause(pause: Pause): Promise<readonly AtWork[]>;
  /** False where there was no pause that this can end. */
  resume(target: string | undefined, by: string): Promise<boolean>;
  /** Where every runner sees it; the agent goes on with the plan. @throws PlumblineError `notices-unwritable` */
  approve(approval: Approval): Promise<void>;
  /** Where every runner sees it; the agent tries the plan once more. @throws PlumblineError `notices-unwritable` */
  allow(allowance: Allowance): Promise<void>;
  /** Visits the target as soon as there is room. */
  visit(target: string, wish: Wish): Promise<void>;
  /** There are a cloud and a controller to hold against each other. */
  hasAudit(): boolean;
  /** Reads both. */
  audit(): Promise<readonly TargetOutcome[]>;
}
