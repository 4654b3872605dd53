import type { WireEffect } from "../../faults/wire-effects.js";
import type { Act } from "../lab-core.js";
import type { Service } from "../options.js";
import type { VolumeStatus } from "../volume/volume.js";

/** Which requests a fault meets. Every part that is given must fit. */
export interface Match {
  readonly service?: Service;
  readonly method?: string;
  /** A piece of the path, of the query, of the body's text. */
  readonly path?: string;
  readonly query?: string;
  readonly body?: string;
  readonly user?: string;
  /** Only the nth of the requests that fit, from 1. */
  readonly nth?: number;
}

/** What happens to a request that is met. */
export type Effect =
  | WireEffect
  /** Nothing but an HTTP status. */
  | { readonly kind: "status"; readonly status: number }
  /** A refusal in the service's own form. */
  | { readonly kind: "refuse"; readonly status: number; readonly type: string; readonly message: string }
  /** The token that asks has ended, by time or by revocation: 401 from now on. */
  | { readonly kind: "expire-token" }
  /** Servers that this request makes end in ERROR with this text. */
  | { readonly kind: "server-fails"; readonly message: string }
  /** What this request begins with a volume ends in that status; one that ends by itself (`creating`, `detaching`) never ends. */
  | { readonly kind: "volume-ends"; readonly status: VolumeStatus }
  /** An interface that this request takes off a server stays on it. */
  | { readonly kind: "interface-stays" }
  /** A list is answered with 200 and without the objects of which this is a part: a cell that is down, a list that lags. */
  | { readonly kind: "leave-out"; readonly text: string }
  /** Somebody sends a request first. */
  | { readonly kind: "act"; readonly act: Act };

export interface Fault {
  readonly match?: Match;
  readonly effect: Effect;
  /** How many requests it meets before it is spent; 1 when left out. */
  readonly count?: number;
}
