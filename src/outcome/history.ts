/** `skip` is a pass that read nothing because nothing had changed. Most rows of a quiet fleet have this kind. */
export const historyKinds = [
  "pass",
  "skip",
  "plan",
  "operation",
  "job",
  "refusal",
  "drift",
  "heal",
  "hold",
  "commit",
  "pause",
  "resume",
  "approval",
  "request",
  "sign-in",
  "alarm",
] as const;
export type HistoryKind = (typeof historyKinds)[number];

/** One row of the history. docs/history.md describes the fields for each kind. */
export interface HistoryEntry {
  /** Increases with each row. */
  readonly id: number;
  readonly kind: HistoryKind;
  /** Start of a pass. First sighting of a drift. */
  readonly at: number;
  /** End of a pass or a drift. */
  readonly ended: number | undefined;
  /** Last sighting of a drift. */
  readonly seen: number | undefined;
  readonly target: string | undefined;
  /** Id of the pass that wrote the row. */
  readonly pass: number | undefined;
  readonly path: string | undefined;
  readonly author: string | undefined;
  /** Outcome of a pass, action of an operation, kind of a drift or guard of a refusal. */
  readonly outcome: string | undefined;
  readonly summary: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Repository of the agent or command that wrote the row. Undefined for rows of versions that did not record it. */
  readonly repository: string | undefined;
}

export interface HistoryQuery {
  readonly target?: string | undefined;
  /** Returns only rows of these targets, and no rows without a target. */
  readonly targets?: readonly string[] | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  /** Rows at or below this canonical XPath. */
  readonly path?: string | undefined;
  readonly author?: string | undefined;
  readonly kinds?: readonly HistoryKind[] | undefined;
  /** Returns only rows of this repository, and rows without a repository. */
  readonly repository?: string | undefined;
  readonly limit: number;
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
  /** True if the store has rows of other repositories, which the query omitted. */
  readonly hasOtherRepositories?: boolean | undefined;
}

export interface History {
  find(query: HistoryQuery): Promise<HistoryPage>;
  /** Adds a row that belongs to no pass, for example an `alarm`. */
  note(entry: {
    readonly kind: HistoryKind;
    readonly at: number;
    readonly ended?: number | undefined;
    readonly target?: string | undefined;
    readonly path?: string | undefined;
    readonly author?: string | undefined;
    readonly outcome?: string | undefined;
    readonly summary: string;
    readonly detail?: Readonly<Record<string, unknown>> | undefined;
  }): Promise<number>;
}

/** Output formats for rows. */
export const HISTORY_FORMATS = ["text", "json", "csv"] as const;
export type HistoryFormat = (typeof HISTORY_FORMATS)[number];
