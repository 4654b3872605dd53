import { type Bounds, Budget } from "./budget.js";
import type { CompiledPolicy, Model } from "./compile.js";
import type { Limit, Rule } from "./policy.js";
import { type Region, regionOf } from "./region.js";
import { type Row, rowsOf } from "./rows.js";
import { type Side, verdictChanges } from "./verdict-changes.js";

/** The flows that a change newly permits or blocks. */
export interface Difference {
  /** Whether the result is complete and certain: no doubtful limit, no undecided part and no merged unknowns. */
  readonly exact: boolean;
  readonly rows: readonly Row[];
  /** Rules with a new action but the same verdict. */
  readonly notes: readonly ActionChange[];
  /** Parts without a result, because the effort ran out. They may contain changes. */
  readonly undecided: readonly Undecided[];
  /** Rules with merged unknowns. Their rows may have needless conditions. */
  readonly coarse: readonly Rule[];
  /** Limits of both versions, without duplicates. */
  readonly limits: readonly Limit[];
}

interface ActionChange {
  readonly rule: Rule;
  readonly before: string;
  readonly after: string;
}

/** Flows that a rule of this version may decide differently in the other version. */
interface Undecided {
  readonly side: Side;
  readonly rule: Rule;
  readonly region: Region;
}

/** Returns the difference between two policies of one model. */
export function differenceOf(model: Model, before: CompiledPolicy, after: CompiledPolicy, bounds: Bounds = {}): Difference {
  const found = verdictChanges(model, before, after, new Budget(bounds));
  const rows = rowsOf(model, before, after, found);
  const rules = { before: before.rules, after: after.rules };
  const notes = found.pairs.flatMap((pair): ActionChange[] => {
    const [old, rule] = [before.rules[pair.before]?.rule, after.rules[pair.after]?.rule];
    if (old === undefined || rule === undefined || old.verdict !== rule.verdict || old.action === rule.action) return [];
    return [{ rule, before: old.action, after: rule.action }];
  });
  const undecided = found.undecided.map(({ side, at, piece }) => ({
    side,
    rule: rules[side][at]?.rule as Rule,
    region: regionOf(model, piece),
  }));
  const coarse = [...before.coarse, ...after.coarse];
  const limits = [...new Map([...before.policy.limits, ...after.policy.limits].map((limit) => [limit.text, limit])).values()];
  const claims = rows.flatMap(({ extent }) => (extent.kind === "holes" ? extent.wholes : [])).some((part) => part.undecided > 0);
  const exact = undecided.length + coarse.length === 0 && !claims && limits.every(({ doubtful }) => !doubtful);
  return { exact, rows, notes, undecided, coarse, limits };
}
