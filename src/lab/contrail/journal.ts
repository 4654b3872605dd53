/** One request as the lab saw it and what became of it, in the order of arrival. */
export interface ContrailJournalEntry {
  /** From 1. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly body: string;
  /** Empty when nobody was authenticated. */
  user: string;
  /** Whether the controller acted on it (a refusal counts; a dropped request does not). */
  executed: boolean;
  /** HTTP status that the controller answered with. */
  status: number | undefined;
  /** What became of the reply on its way. */
  reply: "pending" | "sent" | "none" | "spoilt";
  /** Kinds of the faults that met this request. */
  readonly faults: string[];
}
