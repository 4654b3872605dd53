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
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** The connection is reset before the controller acts. */
  | { readonly kind: "drop" }
  /** The controller acts, then the connection is reset. */
  | { readonly kind: "drop-reply" }
  /** The reply ends after this share of it, a half when left out. `announced` is what Content-Length says: the bytes sent, or those of the whole. */
  | { readonly kind: "cut"; readonly share?: number; readonly announced?: "sent" | "whole" }
  /** A page of a proxy instead of the controller; 200, 502 … */
  | { readonly kind: "html"; readonly status: number }
  /** A status with a text as the controller writes it: 503 `No connection to zookeeper.` */
  | { readonly kind: "status"; readonly status: number; readonly text?: string }
  /** The whole reply under another content type. */
  | { readonly kind: "content-type"; readonly value: string }
  /** The request is held, before or after the controller acts, until `release()`. */
  | { readonly kind: "hold"; readonly when?: "before" | "after" }
  /** Runs before or after the controller acts: another client's change between two requests. */
  | { readonly kind: "call"; readonly when?: "before" | "after"; readonly run: () => void | Promise<void> };

export interface ContrailFault {
  readonly match?: ContrailFaultMatch;
  readonly effect: ContrailFaultEffect;
  /** How many requests it meets before it is spent; 1 when left out. */
  readonly count?: number;
}
