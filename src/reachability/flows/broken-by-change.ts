import type { Assertion } from "./assertion.js";
import { type Bounds, Budget } from "./budget.js";
import type { CompiledPolicy, Model } from "./compile.js";
import type { Rule } from "./policy.js";
import { type Region, regionOf } from "./region.js";
import { type Box, PLACE } from "./space.js";
import { uncovered } from "./uncovered.js";
import { type VerdictChange, type VerdictChanges, verdictChanges } from "./verdict-changes.js";

/** Flows that satisfied an assertion before a change and no longer do. */
export interface BrokenFlows {
  /** The rule that decides them after the change. */
  readonly rule: Rule;
  readonly region: Region;
}

/** The changes between two versions, for checks of several assertions. */
export class BrokenByChange {
  readonly #model: Model;
  readonly #after: CompiledPolicy;
  readonly #before: CompiledPolicy;
  readonly #found: VerdictChanges;
  readonly #effort: Budget;

  constructor(model: Model, before: CompiledPolicy, after: CompiledPolicy, bounds: Bounds = {}) {
    this.#effort = new Budget(bounds);
    this.#model = model;
    this.#before = before;
    this.#after = after;
    this.#found = verdictChanges(model, before, after, this.#effort);
  }

  /**
   * Returns flows that the change turned against an assertion about all flows. If a change is too wide to split, or if the effort ran out,
   * this includes flows that may have changed. It never misses a changed flow. `certainOnly` excludes flows that depend on unknowns.
   */
  of(assertion: Assertion, certainOnly: boolean): BrokenFlows | undefined {
    for (const change of this.#found.changes) {
      const rule = this.#deciderOf(change);
      const box = change.kind === "narrow" ? change.box : change.within;
      const region = rule.verdict === assertion.verdict ? undefined : this.#flowsOf(box, assertion, certainOnly);
      if (region !== undefined) return { rule, region };
    }
    for (const { side, at, piece } of this.#found.undecided) {
      const region = this.#flowsOf(piece, assertion, certainOnly);
      if (region !== undefined) return { rule: this.#rule(side === "before" ? this.#before : this.#after, at), region };
    }
    return undefined;
  }

  #deciderOf(change: VerdictChange): Rule {
    if (change.kind === "narrow") return this.#rule(this.#after, change.after);
    return this.#rule(this.#after, change.side === "after" ? change.rule : (change.counterparts[0] ?? 0));
  }

  #rule(policy: CompiledPolicy, at: number): Rule {
    return policy.rules[at]?.rule as Rule;
  }

  /** Returns flows of the box that the assertion selects. */
  #flowsOf(box: Box, { flows, except }: Assertion, certainOnly: boolean): Region | undefined {
    const { space } = this.#model;
    for (const flow of flows) {
      const both = space.and(box, flow);
      if (both === undefined || (certainOnly && both[PLACE.condition] !== flow[PLACE.condition])) continue;
      const cover = uncovered(space, both, except, this.#effort);
      if (cover.state !== "covered") return regionOf(this.#model, cover.state === "uncovered" ? cover.witness : both);
    }
    return undefined;
  }
}
