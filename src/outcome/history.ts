/** `skip` is a pass that looked at nothing, because nothing had moved: most rows of a quiet fleet. */
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

/** One row of the history. What fields mean for each kind is in docs/history.md. */
export interface HistoryEntry {
  /** Grows with each row written. */
  readonly id: number;
  readonly kind: HistoryKind;
  /** A pass: its start. Drift: first seen. */
  readonly at: number;
  /** A pass: its end. Drift: when it was over. */
  readonly ended: number | undefined;
  /** Drift: last seen. */
  readonly seen: number | undefined;
  readonly target: string | undefined;
  /** Id of the pass that wrote the row. */
  readonly pass: number | undefined;
  readonly path: string | undefined;
  readonly author: string | undefined;
  /** One word: a pass's outcome, an operation's action, a drift's kind, a refusal's guard. */
  readonly outcome: string | undefined;
  readonly summary: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface HistoryQuery {
  readonly target?: string | undefined;
  /** Rows of these alone, and none that is of no target. */
  readonly targets?: readonly string[] | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  /** Rows at or below this canonical XPath. */
  readonly path?: string | undefined;
  readonly author?: string | undefined;
  readonly kinds?: readonly HistoryKind[] | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export interface History {
  find(query: HistoryQuery): Promise<HistoryPage>;
  /** A row that belongs to no pass, for example an `alarm`. */
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

/** How rows can be printed. */
export const HISTORY_FORMATS = ["text", "json", "csv"] as const;
export type HistoryFormat = (typeof HISTORY_FORMATS)[number];
