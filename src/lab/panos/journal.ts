import type { Component } from "./state/change.js";

/** One request that the lab received, with its result. The journal keeps the order of arrival. */
export interface JournalEntry {
  /** Starts at 1 and counts the requests to all devices of the lab. */
  readonly n: number;
  readonly device: string;
  /** `yyyy/mm/dd hh:mm:ss`. */
  readonly time: string;
  readonly method: string;
  /** Undefined if the request was not authenticated. */
  admin: string | undefined;
  readonly type: string;
  readonly action: string | undefined;
  readonly xpath: string | undefined;
  readonly element: string | undefined;
  readonly cmd: string | undefined;
  /** All parameters except secrets. */
  readonly params: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** Whether the device executed the request. A refused request counts as executed, a dropped request does not. */
  executed: boolean;
  outcome:
    | { readonly http: number; readonly status: "success" | "error"; readonly code: string | undefined; readonly message: string }
    | undefined;
  /** Delivery of the reply. */
  reply: "pending" | "sent" | "none" | "spoilt";
  /** Kinds of the faults that affected this request. */
  readonly faults: string[];
}

/** A commit that succeeded or failed, with the owners of its edits. */
export interface CommitEntry {
  readonly device: string;
  readonly job: number;
  readonly time: string;
  readonly admin: string;
  readonly description: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
  /** Edits that reached the running configuration, with their owners. */
  readonly edits: readonly { readonly admin: string; readonly action: string; readonly xpath: string; readonly component: Component }[];
}

/** A push as ordered, with its target firewalls. */
export interface PushEntry {
  readonly job: number;
  readonly time: string;
  readonly admin: string;
  readonly description: string;
  readonly kind: "shared-policy" | "template-stack" | "template";
  readonly validateOnly: boolean;
  /** Administrators whose changes are pushed. Only set for a selective push. */
  readonly admins?: readonly string[];
  readonly mergesCandidate: boolean;
  readonly serials: readonly string[];
  /** Firewalls that also receive their template. */
  readonly templates: readonly string[];
}

/** Result of a push on a firewall. */
export interface ReceivedEntry {
  readonly time: string;
  /** Version of the manager's running configuration at that time. */
  readonly version: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
}
