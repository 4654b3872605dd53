import type { ComparisonFacts, PlanGuards } from "../plan/plan-guards.js";
import { refuseUnmarked } from "./adopt.js";
import { allowancesOf } from "./allow.js";
import { refuseAsserted } from "./assertion.js";
import type { GuardContext, LiveFacts, RunFacts } from "./context.js";
import { refuseLostData } from "./data.js";
import { refuseDeletes } from "./deletes.js";
import { refuseDirtyDeletes } from "./dirty.js";
import { refuseDown } from "./down.js";
import { refuseUnsureGround } from "./findings.js";
import { refuseBlocked } from "./follows.js";
import { refusePendingOfOthers } from "./foreign-changes.js";
import { refuseForeignPending } from "./foreign-pending.js";
import { refuseFormerValues } from "./former-values.js";
import { type Guard, refusalsOf } from "./guard.js";
import { refuseLockOut } from "./management.js";
import { refuseMeaning } from "./meaning.js";
import { refuseUnknownNames } from "./names.js";
import { refuseNotAsLeft } from "./not-as-left.js";
import { refuseOtherDevice } from "./other-device.js";
import { refuseOtherOwners } from "./other-owner.js";
import { refuseBrokenReferences } from "./references.js";
import { refuseReverted } from "./refused-commit.js";
import { refuseReplaceOfUsed } from "./replace-used.js";
import { refuseMissingFields } from "./required-fields.js";
import { refuseRewritingOthers } from "./rewritten-references.js";
import { refuseLargeShares } from "./shares.js";
import { refuseManyTargets } from "./targets.js";
import { refuseUnpushed } from "./unpushed.js";
import { refuseUnread } from "./unread.js";
import { refuseUnsupported } from "./unsupported.js";
import { refuseValues } from "./values.js";
import { refuseVerdicts } from "./verdict.js";
import { type ClosedWindow, refuseClosedWindow } from "./window.js";

/** Before the comparison. Each refusal omits its subtree from the plan. */
const BEFORE_COMPARISON: readonly Guard<ComparisonFacts>[] = [
  { names: ["empty-live", "empty-read-not-believed"], refuse: refuseUnread },
  { names: ["unfit"], refuse: refuseUnsupported },
];

/** While a plan is made. The most severe come first. */
const PLANNED: readonly Guard<GuardContext>[] = [
  { names: ["meaning"], refuse: refuseMeaning },
  { names: ["management"], refuse: refuseLockOut },
  { names: ["expired-ignores"], refuse: refuseUnsureGround },
  { names: ["referrers", "match-list", "order"], refuse: refuseBrokenReferences },
  { names: ["referrers"], refuse: refuseRewritingOthers },
  { names: ["other-owner"], refuse: refuseOtherOwners },
  { names: ["adopt"], refuse: refuseUnmarked },
  { names: ["foreign-changes"], refuse: refusePendingOfOthers },
  { names: ["deletes-per-day", "never-pruned", "non-descendant", "first-contact"], refuse: refuseDeletes },
  { names: ["data"], refuse: refuseLostData },
  { names: ["down"], refuse: refuseDown },
  { names: ["not-as-left"], refuse: refuseNotAsLeft },
  { names: ["updates", "deletes", "empty-list"], refuse: refuseLargeShares },
  { names: ["values"], refuse: refuseMissingFields },
];

/** For a finished plan, from facts of the run. */
const RUN: readonly Guard<RunFacts>[] = [
  { names: ["other-device"], refuse: refuseOtherDevice },
  { names: ["verdict"], refuse: refuseVerdicts },
  { names: ["refused-commit"], refuse: refuseReverted },
  { names: ["follows"], refuse: refuseBlocked },
  { names: ["dirty"], refuse: refuseDirtyDeletes },
  { names: ["targets"], refuse: refuseManyTargets },
  { names: ["non-descendant"], refuse: refuseFormerValues },
  { names: ["values"], refuse: refuseValues },
];

/** For a plan against the candidate, after further reads. */
const LIVE: readonly Guard<LiveFacts>[] = [
  { names: ["assertion"], refuse: refuseAsserted },
  { names: ["foreign-pending"], refuse: refuseForeignPending },
  { names: ["replace"], refuse: refuseReplaceOfUsed },
  { names: ["names"], refuse: refuseUnknownNames },
];

/** For a plan that is pushed to firewalls. */
const PUSH: readonly Guard<readonly string[]>[] = [{ names: ["unpushed"], refuse: refuseUnpushed }];

/** Before a write. */
const WRITE: readonly Guard<ClosedWindow>[] = [{ names: ["window"], refuse: refuseClosedWindow }];

/**
 * All guards, by the time at which their facts are known, in the order of their refusals (docs/guards.md#guards).
 *
 * Three checks that `--allow` overrides are errors of a run, not guards, because there is no plan to refuse: `master-key` stops before secrets
 * are compared, `object-hidden` reads objects by id before a plan is made, and `not-converging` compares what an earlier or the current write
 * has changed.
 */
export const GUARDS = { beforeComparison: BEFORE_COMPARISON, planned: PLANNED, run: RUN, live: LIVE, push: PUSH, write: WRITE };

/** The guards of `makePlan`. */
export const planGuards: PlanGuards = {
  beforeComparison(facts) {
    // Reports a wrong --allow before anything is compared.
    allowancesOf(facts.input.allow);
    return refusalsOf(GUARDS.beforeComparison, facts);
  },
  planned: (facts) => refusalsOf(GUARDS.planned, { ...facts, allow: allowancesOf(facts.input.allow) }),
};
