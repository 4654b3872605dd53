import { PlumblineError } from "../../core/errors.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import type { ScopeInsight } from "../../outcome/insight.js";
import type { DeclaredAssertion } from "../assertions/declared-assertion.js";
import type { FlowSet, Policy } from "../flows/policy.js";
import type { LandingStage, TranslatedFlows } from "../policy-role.js";

/** An assertion without its flows, which differ by version. */
export interface AssertionQuestion {
  readonly said: DeclaredAssertion;
  /** One of its flows is enough. */
  readonly some: boolean;
}

/** Flows of an assertion in one version, or the message about an unknown name. */
export type FlowQuestion =
  | { readonly flows: FlowSet; readonly except: readonly FlowSet[]; readonly translated?: readonly TranslatedFlows[] | undefined }
  | { readonly notUnderstood: string };

/** One version of a rulebase, with the flows of each assertion. No policy: the rulebase does not exist. */
export interface JudgedVersion {
  readonly policy: Policy | undefined;
  readonly asked: readonly FlowQuestion[];
}

/** Two versions of one rulebase. `stage`: NAT or routes of them differ too. */
export interface BetweenQuestion {
  readonly versions: readonly [Policy, Policy];
  readonly stage: LandingStage | undefined;
}

/** Assertions of one rulebase before and after a change. The same version twice if there is no change. */
export interface JudgeQuestion {
  readonly scope: string;
  readonly assertions: readonly AssertionQuestion[];
  readonly versions: readonly [JudgedVersion, JudgedVersion];
}

/**
 * The expensive calculations of insight. Arguments and results are plain values without functions or own classes, so that another process
 * can run them.
 */
export interface InsightWork {
  /** Changes of reachability between the versions. */
  between(question: BetweenQuestion): Promise<ScopeInsight>;
  judge(question: JudgeQuestion): Promise<JudgedAssertion[]>;
}

/** Error code for a failed calculation. */
const NOT_WORKED_OUT = "insight-not-worked-out";

export function notWorkedOut(why: string): PlumblineError {
  return new PlumblineError(NOT_WORKED_OUT, `The flow analysis failed: ${why}.`, {
    next: "Check the free memory of this machine. The next pass retries it.",
  });
}

/** Such an error affects all rulebases. */
export function isOfWork(error: unknown): boolean {
  return error instanceof PlumblineError && (error.code === NOT_WORKED_OUT || error.code === "interrupted");
}

/** Runs in this process and blocks it. */
export const workHere: InsightWork = {
  async between({ versions, stage }) {
    if (stage === undefined) return (await import("./format-difference.js")).insightBetween(...versions);
    return (await import("./landing-insight.js")).insightWithLandings(stage, versions);
  },
  async judge(question) {
    return (await import("../assertions/format-assertion.js")).judgeIn(question);
  },
};
