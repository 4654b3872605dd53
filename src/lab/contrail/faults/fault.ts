import type { WireEffect } from "../../faults/wire-effects.js";

/** Selects the requests of a fault. All given conditions must match. */
export interface ContrailFaultMatch {
  readonly method?: string;
  /** Substring of the path with its query. */
  readonly path?: string;
  /** Substring of the body. */
  readonly body?: string;
  /** Only the nth matching request, starting at 1. */
  readonly nth?: number;
}

/** Effect of a fault on a matching request. */
export type ContrailFaultEffect =
  | WireEffect
  /** A status with a text as the controller writes it: 503 `No connection to zookeeper.` */
  | { readonly kind: "status"; readonly status: number; readonly text?: string };

export interface ContrailFault {
  readonly match?: ContrailFaultMatch;
  readonly effect: ContrailFaultEffect;
  /** Number of requests that it affects. Default: 1. */
  readonly count?: number;
}
