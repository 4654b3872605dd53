import { Allowances, type AllowForms } from "./guards/allow.js";
import type { GuardContext } from "./guards/context.js";
import { refuseLostData } from "./guards/data.js";
import { refuseDeletes } from "./guards/deletes.js";
import { refuseDown } from "./guards/down.js";
import { refuseUnsureGround } from "./guards/ground.js";
import { refuseLockOut, refuseMeaning } from "./guards/kind.js";
import { refuseUnmarked } from "./guards/marks.js";
import { refuseNotAsLeft } from "./guards/not-as-left.js";
import { refuseOtherOwners } from "./guards/owners.js";
import { refuseForeignChanges } from "./guards/pending.js";
import { refuseBrokenReferences } from "./guards/references.js";
import { refuseMissingFields } from "./guards/required.js";
import { refuseRewritingOthers } from "./guards/rewritten.js";
import { refuseLargeShares } from "./guards/shares.js";
import type { MeaningChange, Refusal } from "./model.js";

export type { GuardContext } from "./guards/context.js";
export { meaningChanges } from "./guards/kind.js";
export { foreignPending } from "./guards/pending.js";
export { deletedEntries } from "./guards/touched-lists.js";

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
    ...refuseForeignChanges(context),
    ...refuseDeletes(context),
    ...refuseLostData(context),
    ...refuseDown(context),
    ...refuseNotAsLeft(context),
    ...refuseLargeShares(context),
    ...refuseMissingFields(context),
  ];
}
