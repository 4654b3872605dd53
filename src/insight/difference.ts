import type { CompiledPolicy, Model } from "./compile.js";
import { type Bounds, Effort } from "./effort.js";
import type { Limit, Rule } from "./policy.js";
import { type Region, regionOf } from "./region.js";
import { type Row, rowsOf } from "./rows.js";
import { type Side, verdictChanges } from "./verdict-changes.js";

/** What a change lets through and what it stops. */
export interface Difference {
  /** True where nothing is left open: no limit casts doubt, nothing is undecided, and no unknowns were taken together. */
  readonly exact: boolean;
  readonly rows: readonly Row[];
  /** Rules that do the same with another word. */
  readonly notes: readonly ActionChange[];
  /** Where it was given up: something may have changed there. */
  readonly undecided: readonly Undecided[];
  /** Rules of which more unknowns were named than are told apart; rows on them may be conditional without need. */
  readonly coarse: readonly Rule[];
  /** Limits of both versions, each once. */
  readonly limits: readonly Limit[];
}

interface ActionChange {
  readonly rule: Rule;
  readonly before: string;
  readonly after: string;
}

/** Flows that a rule may have come to decide otherwise, on the side that it stands on. */
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
