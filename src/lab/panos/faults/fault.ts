import type { WireEffect } from "../../faults/wire-effects.js";
import type { LockKind } from "../access/locks.js";

/** Which requests a fault meets. Every part that is given must fit. */
export interface Match {
  readonly device?: string;
  readonly type?: string;
  readonly action?: string;
  readonly admin?: string;
  /** Serial number of the firewall that a manager hands it on to. */
  readonly target?: string;
  /** A piece of the xpath, of the command, of the element. */
  readonly xpath?: string;
  readonly cmd?: string;
  readonly element?: string;
  /** Only the nth of the requests that fit, from 1. */
  readonly nth?: number;
}

/** What happens to a request that is met. */
export type Effect =
  | WireEffect
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
  /** A commit ends well, and what it was to commit stays in the candidate, as was seen of managers. */
  | { readonly kind: "job-does-nothing" }
  /** Another administrator takes a lock first. */
  | { readonly kind: "lock"; readonly lock: LockKind; readonly admin: string; readonly scope?: string; readonly comment?: string }
  /** Another administrator sends a request first. */
  | { readonly kind: "act"; readonly admin: string; readonly params: Readonly<Record<string, string>> }
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
