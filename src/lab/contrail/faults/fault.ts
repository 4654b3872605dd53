import type { WireEffect } from "../../faults/wire-effects.js";

/** Which requests a fault meets. Every part that is given must fit. */
export interface ContrailFaultMatch {
  readonly method?: string;
  /** A piece of the path with its query. */
  readonly path?: string;
  /** A piece of the body. */
  readonly body?: string;
  /** Only the nth of the requests that fit, from 1. */
  readonly nth?: number;
}

/** What happens to a request that is met. */
export type ContrailFaultEffect =
  | WireEffect
  /** A status with a text as the controller writes it: 503 `No connection to zookeeper.` */
  | { readonly kind: "status"; readonly status: number; readonly text?: string };

export interface ContrailFault {
  readonly match?: ContrailFaultMatch;
  readonly effect: ContrailFaultEffect;
  /** How many requests it meets before it is spent; 1 when left out. */
  readonly count?: number;
}
