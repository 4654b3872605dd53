import type { DecidingRules } from "./insight.js";

/** Effect of the plan on sessions that were logged (docs/insight.md#replay). */
export interface Traffic {
  /** Target clock (`yyyy/mm/dd hh:mm:ss`), like the next two. */
  readonly since: string;
  /** Time of the oldest record that was read, if there were too many records; or start of the stored sessions, if later. */
  readonly backTo?: string | undefined;
  /** Undefined if neither source could be read. */
  readonly source?: TrafficSource | undefined;
  /**
   * Sessions that were not judged: their zones, addresses or protocol are not understood, or their rulebase does not exist on the target.
   */
  readonly notJudged: number;
  /** One entry for each rulebase with logged sessions. */
  readonly scopes: readonly ScopeTraffic[];
  /** Why there is no result. The plan is still valid. */
  readonly failure?: string | undefined;
}

/** Source of the sessions: the target's log, or the store of the agents (docs/insight.md#kept-traffic). */
export type TrafficSource =
  | {
      readonly from: "device";
      /** Why the store was not used. */
      readonly because?: string | undefined;
    }
  | ({ readonly from: "store" } & KeptWords);

/** Limits of stored sessions. Times are those of the target clock. */
export interface KeptWords {
  /** For a pair: both devices that were read, the most recently read first. */
  readonly boxes: readonly { readonly box: string; readonly until: string }[];
  readonly gaps: readonly TrafficGap[];
  /** Rare flows that were dropped because there were too many. */
  readonly cut?: { readonly from: string; readonly to: string; readonly flows: number; readonly sessions: number } | undefined;
  /** Why the last read of the log failed. */
  readonly failure?: string | undefined;
}

/** `log`: records were cleared or overwritten before they were read. `clock`: the clocks of target and agent diverged. */
export interface TrafficGap {
  readonly from: string;
  readonly to: string;
  readonly why: "log" | "clock";
}

/** Counts for one rulebase. All are numbers of sessions, except `rules` and `rulesThatLog`. */
export interface ScopeTraffic {
  readonly scope: string;
  /** Sessions that both rulebases judged. */
  readonly sessions: number;
  readonly opened: number;
  readonly closed: number;
  /** Sessions whose verdict may change: it depends on unknown values, or the analysis gave up. */
  readonly mayChange: number;
  /** Sessions logged since the last commit whose rule cannot have decided them according to the model. */
  readonly disagree: number;
  /** The same for older sessions: other rules may have been running. */
  readonly older: number;
  /** Sessions that change or may change, largest count first. Very long lists are cut. */
  readonly rows: readonly TrafficRow[];
  /** Number of further rows. */
  readonly more: number;
  /** Differences between log and model, largest count first. Very long lists are cut. */
  readonly disagreements: readonly Disagreement[];
  /** Number of running rules that log the end of sessions, and number of all rules. Sessions of the other rules are not visible. */
  readonly rulesThatLog: number;
  readonly rules: number;
}

/** Sessions that differ only in their source and that the same rules decide. */
export interface TrafficRow {
  readonly change: "opened" | "closed" | "may change";
  readonly from: string;
  readonly to: string;
  /** Addresses. Very long lists are cut. */
  readonly sources: readonly string[];
  readonly moreSources: number;
  readonly destination: string;
  /** `tcp/443`. */
  readonly service: string;
  /** Application in the log, or "application not known" if the session ended before it was identified. */
  readonly application: string;
  readonly sessions: number;
  readonly bytes: number;
  readonly last: string;
  readonly was: DecidingRules;
  readonly now: DecidingRules;
}

/** Sessions that were logged for one rule and belong to another rule according to the model. */
export interface Disagreement {
  readonly logged: string;
  /** Rules that may decide them according to the model. */
  readonly model: readonly string[];
  readonly sessions: number;
  /** An example: `office > db  10.1.0.4 > 10.2.0.13  tcp/5432 · postgres`. */
  readonly example: string;
}
