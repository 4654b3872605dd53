import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { View } from "../plan/platform.js";
import type { LookUps, PredefinedApplication } from "./policy-role.js";

/** Read access to a target with rules. */
export interface PolicyTarget {
  readonly name: string;
  /** Reads subtrees into one tree under the root element. A subtree that does not exist is absent from the tree. */
  read(subtrees: readonly Path[], view: View): Promise<TreeNode>;
  /** Returns facts about the target, in the platform's field names. */
  status(): Promise<ReadonlyMap<string, string>>;
  readonly logs?: Logs;
  readonly counters?: Counters;
  readonly resolver?: Resolver;
}

/** Implemented by platforms that report the present content of FQDNs and external lists. */
export interface Resolver {
  /** Returns the applications that the platform itself defines. Omits names that could not be read. */
  applications(names: readonly string[]): Promise<ReadonlyMap<string, PredefinedApplication>>;
  /** Returns the content of names and lists in the tree. `refused`: sentences about content that the platform did not report. */
  lookUp(tree: TreeNode, view: View): Promise<{ readonly known: LookUps["known"]; readonly refused: readonly string[] }>;
}

/** Implemented by platforms with hit counts of rules. */
export interface Counters {
  /** Returns the hit counts of one rulebase. Undefined if the platform keeps none. */
  ruleHits(scope: string): Promise<readonly RuleHits[] | undefined>;
  /** Returns the hit counts of rules of a device group of a manager, by firewall. Undefined if the platform keeps none. */
  managedRuleHits?(scope: string, rules: readonly ManagedRule[]): Promise<readonly FirewallRuleHits[] | undefined>;
}

/** A rule of a device group. */
export interface ManagedRule {
  readonly level: "pre" | "post";
  readonly name: string;
}

/** Hit count of a rule of a manager on one firewall. */
export interface FirewallRuleHits extends RuleHits {
  readonly level: ManagedRule["level"];
  readonly serial: string;
  readonly vsys: string;
}

/** Hit count of one rule. Times in milliseconds since 1970. */
export interface RuleHits {
  /** Not unique: a rulebase may have several rules of one name. */
  readonly rule: string;
  /** Undefined if it cannot be read. */
  readonly count: number | undefined;
  /** Undefined: no hit is known. */
  readonly last: number | undefined;
  /** Start of the count. Undefined if unknown. */
  readonly since: number | undefined;
}

/** Implemented by platforms with logs. */
export interface Logs {
  /** Returns the time of the target as `yyyy/mm/dd hh:mm:ss`. Undefined if it cannot be read. */
  deviceTime(): Promise<string | undefined>;
  /** Returns records, the newest first. */
  records(count: LogCount): Promise<readonly ReadonlyMap<string, string>[]>;
  /** Returns pages of records as they arrive. */
  pages(search: LogSearch, watch?: LogSearchWaiter): AsyncIterable<readonly LogRecord[]>;
}

/**
 * Records of one log in a period, by the clock of the target (`yyyy/mm/dd hh:mm:ss`).
 *
 * @internal Exported for tests that make one.
 */
export interface LogCount {
  readonly type: string;
  /** Filter in the query language of the target. */
  readonly query: string | undefined;
  readonly since: string;
  readonly until: string;
  /** Maximum number of records. */
  readonly most: number;
}

/** One record of a log, by field. */
export type LogRecord = ReadonlyMap<string, string>;

/** Parameters of a log search. */
export interface LogSearch {
  readonly type: string;
  /** A filter in the target's own language. */
  readonly query: string | undefined;
  /** Returns records from this time on, by the target's clock (`yyyy/mm/dd hh:mm:ss`). Undefined: from the first record. */
  readonly since: string | undefined;
  /** Records at most; may be infinite. */
  readonly count: number;
  /** `backward`: newest first. */
  readonly direction: "backward" | "forward";
}

/** Who waits for a search. */
export interface LogSearchWaiter {
  /** If aborted, the job on the target is ended and the search rejects with `interrupted`. */
  readonly stop?: AbortSignal | undefined;
  /** Called after each poll of a running job. */
  readonly progress?:
    | ((event: { readonly job: string; readonly status: string; readonly percent: number | undefined }) => void)
    | undefined;
}
