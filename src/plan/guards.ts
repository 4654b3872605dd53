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
import { refuseRewritingOthers } from "./guards/rewritten.js";
import { refuseLargeShares } from "./guards/shares.js";
import type { MeaningChange, Refusal } from "./model.js";

export type { GuardContext } from "./guards/context.js";
export { meaningChanges } from "./guards/kind.js";
export { foreignPending } from "./guards/pending.js";
export { deletedEntries } from "./guards/touched-lists.js";

/** Guards that `--allow` can let pass once, and the form of its value. Those at the end stand outside of the plan. */
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

/** `--allow` of one run. Throws `allow-unknown` and `allow-value`. */
export function allowancesOf(values: ReadonlyMap<string, string>): Allowed {
  return new Allowances(ALLOW_FORMS, values);
}

/** Every reason why a plan must not be applied (docs/plan.md#guards), the gravest first. A plan that does nothing harms nobody. */
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
  ];
}
