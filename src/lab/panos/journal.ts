import type { Component } from "./state/change.js";

/** One request as the lab saw it and what became of it, in the order of arrival. */
export interface JournalEntry {
  /** From 1, counted over all devices of the lab. */
  readonly n: number;
  readonly device: string;
  /** `yyyy/mm/dd hh:mm:ss`. */
  readonly time: string;
  readonly method: string;
  /** Undefined when nobody was authenticated. */
  admin: string | undefined;
  readonly type: string;
  readonly action: string | undefined;
  readonly xpath: string | undefined;
  readonly element: string | undefined;
  readonly cmd: string | undefined;
  /** All parameters but secrets. */
  readonly params: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** Whether the device acted on it (a refusal counts; a dropped request does not). */
  executed: boolean;
  outcome:
    | { readonly http: number; readonly status: "success" | "error"; readonly code: string | undefined; readonly message: string }
    | undefined;
  /** What became of the reply on its way. */
  reply: "pending" | "sent" | "none" | "spoilt";
  /** Kinds of the faults that met this request. */
  readonly faults: string[];
}

/** A commit that took effect (or failed), with whose edits it carried. */
export interface CommitEntry {
  readonly device: string;
  readonly job: number;
  readonly time: string;
  readonly admin: string;
  readonly description: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
  /** Edits that reached the running configuration, by owner. */
  readonly edits: readonly { readonly admin: string; readonly action: string; readonly xpath: string; readonly component: Component }[];
}

/** A push as it was ordered: what it may reach. */
export interface PushEntry {
  readonly job: number;
  readonly time: string;
  readonly admin: string;
  readonly description: string;
  readonly kind: "shared-policy" | "template-stack" | "template";
  readonly validateOnly: boolean;
  /** Whose work alone goes out, of a selective push. */
  readonly admins?: readonly string[];
  readonly mergesCandidate: boolean;
  readonly serials: readonly string[];
  /** Those that get their template too. */
  readonly templates: readonly string[];
}

/** What a firewall made of a push. */
export interface ReceivedEntry {
  readonly time: string;
  /** The manager's version that was running. */
  readonly version: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
}
