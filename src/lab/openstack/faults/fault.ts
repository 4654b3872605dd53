import type { WireEffect } from "../../faults/wire-effects.js";
import type { Act } from "../lab-core.js";
import type { Service } from "../options.js";
import type { VolumeStatus } from "../volume/volume.js";

/** Selects requests. Every given field must match. */
export interface Match {
  readonly service?: Service;
  readonly method?: string;
  /** Substrings of the path, the query and the text of the body. */
  readonly path?: string;
  readonly query?: string;
  readonly body?: string;
  readonly user?: string;
  /** Only the nth matching request, starting at 1. */
  readonly nth?: number;
}

/** Effect on a matching request. */
export type Effect =
  | WireEffect
  /** Replies with only an HTTP status. */
  | { readonly kind: "status"; readonly status: number }
  /** Refuses in the service's own format. */
  | { readonly kind: "refuse"; readonly status: number; readonly type: string; readonly message: string }
  /** Ends the token of the request, as if it expired or was revoked: 401 from now on. */
  | { readonly kind: "expire-token" }
  /** Servers that this request creates, resizes or rebuilds end in ERROR with this text. */
  | { readonly kind: "server-fails"; readonly message: string }
  /** A volume operation of this request ends in this status. With a transitional status (`creating`, `detaching`) it never ends. */
  | { readonly kind: "volume-ends"; readonly status: VolumeStatus }
  /** An interface that this request detaches stays on its server. */
  | { readonly kind: "interface-stays" }
  /** Replies with 200 to a list, without the objects that contain this text: a cell is down, or a list lags. */
  | { readonly kind: "leave-out"; readonly text: string }
  /** Sends another request first. */
  | { readonly kind: "act"; readonly act: Act };

export interface Fault {
  readonly match?: Match;
  readonly effect: Effect;
  /** Number of requests that it applies to. Defaults to 1. */
  readonly count?: number;
}
