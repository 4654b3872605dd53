import { PlumblineError } from "../../core/errors.js";
import type { FlowSet, Policy } from "../../insight/policy.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import type { ScopeInsight } from "../../outcome/insight.js";
import type { LandingStage, TranslatedFlows } from "../policies.js";
import type { SaidAssertion } from "./said-assertion.js";

/** What an assertion says, apart from the flows that it asks about in each version. */
export interface AskedAssertion {
  readonly said: SaidAssertion;
  /** One of its flows is enough. */
  readonly some: boolean;
}

/** The flows of an assertion in one version; or which word of it means nothing there. */
export type AskedFlows =
  | { readonly flows: FlowSet; readonly except: readonly FlowSet[]; readonly translated?: readonly TranslatedFlows[] | undefined }
  | { readonly notUnderstood: string };

/** One version of a rulebase with what each assertion asks of it; no policy: the rulebase is not there. */
export interface JudgedVersion {
  readonly policy: Policy | undefined;
  readonly asked: readonly AskedFlows[];
}

/** Two versions of one rulebase. `stage`: NAT or routes of them differ too. */
export interface BetweenQuestion {
  readonly versions: readonly [Policy, Policy];
  readonly stage: LandingStage | undefined;
}

/** Assertions of one rulebase, before and after a change: one and the same version where nothing changes. */
export interface JudgeQuestion {
  readonly scope: string;
  readonly assertions: readonly AskedAssertion[];
  readonly versions: readonly [JudgedVersion, JudgedVersion];
}

/**
 * What of insight takes long. Asked and answered in plain values alone (no function, no class of ours), so that another process
 * can work it out.
 */
export interface InsightWork {
  /** What becomes reachable between the two. */
  between(question: BetweenQuestion): Promise<ScopeInsight>;
  judge(question: JudgeQuestion): Promise<JudgedAssertion[]>;
}

/** Says that whoever works it out could not. */
const NOT_WORKED_OUT = "insight-not-worked-out";

export function notWorkedOut(why: string): PlumblineError {
  return new PlumblineError(NOT_WORKED_OUT, `What rules let through was not worked out: ${why}.`, {
    next: "See that the machine has memory left; it is tried again with the next pass.",
  });
}

/** Nothing is known then, of any rulebase. */
export function isOfWork(error: unknown): boolean {
  return error instanceof PlumblineError && (error.code === NOT_WORKED_OUT || error.code === "interrupted");
}

/** In this very process: it and all that it does wait meanwhile. */
export const workHere: InsightWork = {
  async between({ versions, stage }) {
    if (stage === undefined) return (await import("./difference-words.js")).insightBetween(...versions);
    return (await import("./landing-words.js")).insightWithLandings(stage, versions);
  },
  async judge(question) {
    return (await import("./assertion-words.js")).judgeIn(question);
  },
};
