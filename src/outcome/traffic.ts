import type { DecidingRules } from "./insight.js";

/** What would become of sessions that were, had the plan been in force (docs/insight.md#replay). */
export interface Traffic {
  /** By the target's own clock (`yyyy/mm/dd hh:mm:ss`), as the next two. */
  readonly since: string;
  /** The oldest record that was read, where there were more than were to be read; since when sessions are kept, where that is later. */
  readonly backTo?: string | undefined;
  /** Undefined where neither could be asked. */
  readonly source?: TrafficSource | undefined;
  /** Sessions that were not judged: their zones, addresses or protocol are not understood, or their rulebase is none of the target's. */
  readonly notJudged: number;
  /** Of each rulebase that logged any session. */
  readonly scopes: readonly ScopeTraffic[];
  /** Why nothing can be said; a plan stands all the same. */
  readonly failure?: string | undefined;
}

/** Where the sessions were read: the target's own log, or what agents kept of it (docs/insight.md#kept-traffic). */
export type TrafficSource =
  | {
      readonly from: "device";
      /** Why not what was kept. */
      readonly because?: string | undefined;
    }
  | ({ readonly from: "store" } & KeptWords);

/** What must be known of sessions that were kept. Moments are of the target's clock. */
export interface KeptWords {
  /** Of a pair both that were read, the one that was read last first. */
  readonly boxes: readonly { readonly box: string; readonly until: string }[];
  readonly gaps: readonly TrafficGap[];
  /** Rare flows that were not kept, where there were too many. */
  readonly cut?: { readonly from: string; readonly to: string; readonly flows: number; readonly sessions: number } | undefined;
  /** Why the log could not be read the last time. */
  readonly failure?: string | undefined;
}

/** `log`: it was cleared, or written over before it was read. `clock`: those of target and agent moved apart. */
export interface TrafficGap {
  readonly from: string;
  readonly to: string;
  readonly why: "log" | "clock";
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
