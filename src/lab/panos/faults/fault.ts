import type { WireEffect } from "../../faults/wire-effects.js";
import type { LockKind } from "../access/locks.js";

/** Selects the requests that a fault affects. Every given field must match. */
export interface Match {
  readonly device?: string;
  readonly type?: string;
  readonly action?: string;
  readonly admin?: string;
  /** Serial number of the firewall that a manager forwards the request to. */
  readonly target?: string;
  /** Substring of the xpath. `cmd` and `element` are substrings too. */
  readonly xpath?: string;
  readonly cmd?: string;
  readonly element?: string;
  /** Affects only the nth matching request, counted from 1. */
  readonly nth?: number;
}

/** Effect of a fault on a request. */
export type Effect =
  | WireEffect
  /** A well-formed reply of at least this many bytes. */
  | { readonly kind: "huge"; readonly bytes: number }
  /** A bare HTTP status. */
  | { readonly kind: "status"; readonly status: number }
  /** Revokes the client's key first. */
  | { readonly kind: "revoke-key" }
  /** Replies that another commit is in progress. */
  | { readonly kind: "busy" }
  | { readonly kind: "job-never-ends" }
  | { readonly kind: "job-fails"; readonly lines?: readonly string[] }
  /** A commit succeeds, but its edits stay pending in the candidate. This was observed on managers. */
  | { readonly kind: "job-does-nothing" }
  /** Another administrator takes a lock first. */
  | { readonly kind: "lock"; readonly lock: LockKind; readonly admin: string; readonly scope?: string; readonly comment?: string }
  /** Another administrator sends a request first. */
  | { readonly kind: "act"; readonly admin: string; readonly params: Readonly<Record<string, string>> }
  /** The HA pair swaps roles first. */
  | { readonly kind: "fail-over" };

export interface Fault {
  readonly match?: Match;
  readonly effect: Effect;
  /** Number of requests that the fault affects. Default: 1. */
  readonly count?: number;
}

/** Parts of a request that `Match` can select. */
export interface Matchable {
  readonly device: string;
  readonly admin: string | undefined;
  readonly params: ReadonlyMap<string, string>;
}
