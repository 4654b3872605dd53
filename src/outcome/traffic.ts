import type { DecidingRules } from "./insight.js";

/** What would become of sessions that were, had the plan been in force (docs/insight.md#replay). */
export interface Traffic {
  /** By the target's own clock (`yyyy/mm/dd hh:mm:ss`), as the next two. */
  readonly since: string;
  /** The oldest record that was read, where there were more than were to be read. */
  readonly backTo?: string | undefined;
  /** Sessions that were not judged: their zones, addresses or protocol are not understood, or their rulebase is none of the target's. */
  readonly notJudged: number;
  /** Of each rulebase that logged any session. */
  readonly scopes: readonly ScopeTraffic[];
  /** Why nothing can be said; a plan stands all the same. */
  readonly failure?: string | undefined;
}

/** Of one rulebase. Numbers of sessions but for `rules`. */
export interface ScopeTraffic {
  readonly scope: string;
  /** Judged by both rulebases. */
  readonly sessions: number;
  readonly opened: number;
  readonly closed: number;
  /** What is not known decides whether they meet another verdict, or it was given up. */
  readonly mayChange: number;
  /** Logged since the last commit, and decided by a rule that, by what is modelled, cannot have decided them. */
  readonly disagree: number;
  /** The same of older ones: other rules may have been in force. */
  readonly older: number;
  /** Those that change or may, most sessions first; of very many the first. */
  readonly rows: readonly TrafficRow[];
  /** How many more there are. */
  readonly more: number;
  /** Where log and model disagree, most sessions first; of very many the first. */
  readonly disagreements: readonly Disagreement[];
  /** Rules now in force that log the end of sessions, of how many; sessions of others are not seen. */
  readonly rulesThatLog: number;
  readonly rules: number;
}

/** Sessions alike in all but their source, for which the same rules decide. */
export interface TrafficRow {
  readonly change: "opened" | "closed" | "may change";
  readonly from: string;
  readonly to: string;
  /** Addresses; of very many the first. */
  readonly sources: readonly string[];
  readonly moreSources: number;
  readonly destination: string;
  /** `tcp/443`. */
  readonly service: string;
  /** As it was logged; "application not known" where a session ended before it was. */
  readonly application: string;
  readonly sessions: number;
  readonly bytes: number;
  readonly last: string;
  readonly was: DecidingRules;
  readonly now: DecidingRules;
}

/** Sessions that were logged for one rule, and by the model are for another. */
export interface Disagreement {
  readonly logged: string;
  /** Rules that may decide them by the model. */
  readonly model: readonly string[];
  readonly sessions: number;
  /** One of them: `office > db  10.1.0.4 > 10.2.0.13  tcp/5432 · postgres`. */
  readonly example: string;
}
