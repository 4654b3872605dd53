import type { MeaningChange, Refusal } from "../plan/model.js";
import { Allowances, type AllowForms } from "./allow.js";
import type { GuardContext } from "./context.js";
import { refuseLostData } from "./data.js";
import { refuseDeletes } from "./deletes.js";
import { refuseDown } from "./down.js";
import { refuseUnsureGround } from "./findings.js";
import { refuseLockOut, refuseMeaning } from "../plan/meaning.js";
import { refuseUnmarked } from "./adopt.js";
import { refuseNotAsLeft } from "./not-as-left.js";
import { refuseOtherOwners } from "./other-owner.js";
import { refusePendingOfOthers } from "./foreign-changes.js";
import { refuseBrokenReferences } from "./references.js";
import { refuseMissingFields } from "./required-fields.js";
import { refuseRewritingOthers } from "./rewritten-references.js";
import { refuseLargeShares } from "./shares.js";

export type { GuardContext } from "./context.js";
export { meaningChanges } from "../plan/meaning.js";
export { othersPending as foreignPending } from "./foreign-changes.js";
export { deletedEntries } from "../plan/touched-lists.js";

/** Guards that `--allow` can override once, with the form of each value. Some belong to guards outside `src/plan`. */
const ALLOW_FORMS = {
  updates: "percent",
  deletes: "percent",
  "empty-list": "count",
  "deletes-per-day": "count",
  "first-contact": "count",
  "expired-ignores": "count",
  down: "word",
  management: "word",
  meaning: "word",
  "master-key": "word",
  "not-converging": "word",
  "refused-commit": "commit",
  dirty: "count",
  "foreign-pending": "word",
  unpushed: "word",
  follows: "word",
  targets: "count",
  values: "word",
  names: "word",
  window: "word",
  "object-hidden": "word",
  "not-as-left": "paths",
  data: "paths",
  assertion: "names",
} as const satisfies AllowForms;

export type Allowed = Allowances<typeof ALLOW_FORMS>;

/**
 * Parses the `--allow` values of one run.
 *
 * @throws PlumblineError `allow-unknown` or `allow-value`
 */
export function allowancesOf(values: ReadonlyMap<string, string>): Allowed {
  return new Allowances(ALLOW_FORMS, values);
}

/** Returns every reason why a plan must not be applied (docs/guards.md#guards), the most severe first. */
export function refusalsOf(context: GuardContext, meaning: readonly MeaningChange[]): Refusal[] {
  return [
    ...refuseMeaning(meaning, context),
    ...refuseLockOut(context),
    ...refuseUnsureGround(context),
    ...refuseBrokenReferences(context),
    ...refuseRewritingOthers(context),
    ...refuseOtherOwners(context),
    ...refuseUnmarked(context),
    ...refusePendingOfOthers(context),
    ...refuseDeletes(context),
    ...refuseLostData(context),
    ...refuseDown(context),
    ...refuseNotAsLeft(context),
    ...refuseLargeShares(context),
    ...refuseMissingFields(context),
  ];
}
