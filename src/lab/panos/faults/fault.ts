import type { LockKind } from "../access/locks.js";

/** Which requests a fault meets. Every part that is given must fit. */
export interface Match {
  readonly device?: string;
  readonly type?: string;
  readonly action?: string;
  readonly admin?: string;
  /** A piece of the xpath, of the command, of the element. */
  readonly xpath?: string;
  readonly cmd?: string;
  readonly element?: string;
  /** Only the nth of the requests that fit, from 1. */
  readonly nth?: number;
}

/** What happens to a request that is met. */
export type Effect =
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** The connection is reset before the device acts. */
  | { readonly kind: "drop" }
  /** The device acts, then the connection is reset. */
  | { readonly kind: "drop-reply" }
  /** The reply ends after this share of it. `announced` is what Content-Length says: the bytes sent, or those of the whole. */
  | { readonly kind: "cut"; readonly share?: number; readonly announced?: "sent" | "whole" }
  /** A page instead of the device; 200, 414, 502 … */
  | { readonly kind: "html"; readonly status: number }
  /** The whole reply under another content type. */
  | { readonly kind: "content-type"; readonly value: string }
  /** A well-formed reply of at least this many bytes. */
  | { readonly kind: "huge"; readonly bytes: number }
  /** Nothing but an HTTP status. */
  | { readonly kind: "status"; readonly status: number }
  /** The key that asks is revoked first. */
  | { readonly kind: "revoke-key" }
  /** Another commit is in progress. */
  | { readonly kind: "busy" }
  | { readonly kind: "job-never-ends" }
  | { readonly kind: "job-fails"; readonly lines?: readonly string[] }
  /** Another administrator takes a lock first. */
  | { readonly kind: "lock"; readonly lock: LockKind; readonly admin: string; readonly scope?: string; readonly comment?: string }
  /** Another administrator sends a request first. */
  | { readonly kind: "act"; readonly admin: string; readonly params: Readonly<Record<string, string>> }
  /** The request is held, before or after the device acts, until the control endpoint releases it. */
  | { readonly kind: "hold"; readonly when?: "before" | "after" }
  /** In the lab's own process only: runs before or after the device acts. */
  | { readonly kind: "call"; readonly when?: "before" | "after"; readonly run: () => void | Promise<void> }
  /** The pair changes roles first. */
  | { readonly kind: "fail-over" };

export interface Fault {
  readonly match?: Match;
  readonly effect: Effect;
  /** How many requests it meets before it is spent; 1 when left out. */
  readonly count?: number;
}

/** What of a request matchers look at. */
export interface Matchable {
  readonly device: string;
  readonly admin: string | undefined;
  readonly params: ReadonlyMap<string, string>;
}
