/** A request and its result, in the order of arrival. */
export interface ContrailJournalEntry {
  /** Starts at 1. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly body: string;
  /** Empty if authentication failed. */
  user: string;
  /** Whether the controller processed the request. A refusal counts; a dropped request does not. */
  executed: boolean;
  /** HTTP status of the reply. */
  status: number | undefined;
  /** State of the response. */
  reply: "pending" | "sent" | "none" | "spoilt";
  /** Kinds of the faults that matched this request. */
  readonly faults: string[];
}
