import type { CompiledPolicy, Model } from "./compile.js";
import { type Bounds, Effort } from "./effort.js";
import type { Limit, Rule } from "./policy.js";
import { type Region, regionOf } from "./region.js";
import { type Row, rowsOf } from "./rows.js";
import { type Side, verdictChanges } from "./verdict-changes.js";

/** Flows that a change newly allows or denies. */
export interface Difference {
  /** True if the result is complete: no doubtful limit, no undecided part, and no combined unknowns. */
  readonly exact: boolean;
  readonly rows: readonly Row[];
  /** Rules that do the same with another word. */
  readonly notes: readonly ActionChange[];
  /** Parts with an unknown result, because the effort ran out. */
  readonly undecided: readonly Undecided[];
  /** Rules with combined unknowns. Rows about them may be conditional without need. */
  readonly coarse: readonly Rule[];
  /** Limits of both versions, each once. */
  readonly limits: readonly Limit[];
}

interface ActionChange {
  readonly rule: Rule;
  readonly before: string;
  readonly after: string;
}

/** Flows of a rule whose verdict may have changed, on the side of the rule. */
interface Undecided {
  readonly side: Side;
  readonly rule: Rule;
  readonly region: Region;
}

/** The difference of two policies of one model. */
export function differenceOf(model: Model, before: CompiledPolicy, after: CompiledPolicy, bounds: Bounds = {}): Difference {
  const found = verdictChanges(model, before, after, new Effort(bounds));
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
  const claims = rows.flatMap(({ extent }) => (extent.kind === "holes" ? extent.wholes : [])).some((whole) => whole.undecided > 0);
  const exact = undecided.length + coarse.length === 0 && !claims && limits.every(({ doubtful }) => !doubtful);
  return { exact, rows, notes, undecided, coarse, limits };
}
