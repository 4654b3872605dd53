import type { SecretValue, TextOrSecret } from "../../../core/secret.js";
import type { TlsTrust } from "../../../core/tls-trust.js";

/** Provides tokens of an identity service: an OpenStack target (`auth: { from: cloud }`). */
export interface TokenSource {
  /** Returns a token that the source considers valid. */
  token(): Promise<SecretValue>;
  /** Returns a new token after the last one was refused. */
  renew(): Promise<SecretValue>;
  close?(): Promise<void>;
}

/** Authentication of requests: a token (`aaa_mode` cloud-admin and rbac), HTTP Basic (local admin port) or no credentials. */
export type ContrailAuth =
  | { readonly kind: "none" }
  | { readonly kind: "basic"; readonly username: TextOrSecret; readonly password: SecretValue }
  | { readonly kind: "token"; readonly source: TokenSource };

/** Connection settings of one controller. */
export interface ContrailConnection {
  /** Name of the target, for messages. */
  readonly name: string;
  /** May contain a path, because a proxy can serve the controller below one. */
  readonly url: string;
  readonly auth: ContrailAuth;
  readonly tls: TlsTrust;
  /** Timeout for a silent controller, in seconds. */
  readonly timeout: number;
  readonly pageLimit?: number | undefined;
}
