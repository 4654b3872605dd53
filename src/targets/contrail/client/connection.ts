import type { SaidText, SecretValue } from "../../../core/secret.js";
import type { TlsTrust } from "../../../core/tls-trust.js";

/** Tokens of an identity service: an OpenStack target gives them (`auth: { from: cloud }`). */
export interface TokenSource {
  /** A token that is good as far as the source knows. */
  token(): Promise<SecretValue>;
  /** A new one: the last was refused. */
  renew(): Promise<SecretValue>;
  close?(): Promise<void>;
}

/** How requests are let in: the token of `aaa_mode` cloud-admin and rbac, HTTP Basic of the local admin port, or nothing. */
export type ContrailAuth =
  | { readonly kind: "none" }
  | { readonly kind: "basic"; readonly username: SaidText; readonly password: SecretValue }
  | { readonly kind: "token"; readonly source: TokenSource };

/** Where one controller is and how it is spoken to. */
export interface ContrailConnection {
  /** Name of the target, for messages. */
  readonly name: string;
  /** May hold a path: a proxy can serve the controller below one. */
  readonly url: string;
  readonly auth: ContrailAuth;
  readonly tls: TlsTrust;
  /** Seconds that the controller may be silent. */
  readonly timeout: number;
  /** Objects that one page of a list holds; 500 when left out. */
  readonly pageLimit?: number | undefined;
}
