import type { SecretValue } from "../../../core/secret.js";
import type { Endpoint } from "../catalog/catalog.js";

/** A token with what the identity service said of it. */
export interface CloudSession {
  /** Undefined where the cloud asks for none (`auth_type: none`). */
  readonly token: SecretValue | undefined;
  /** The project that the token is for; undefined only without a token. */
  readonly project: { readonly id: string; readonly name: string } | undefined;
  readonly user: { readonly id: string; readonly name: string } | undefined;
  readonly roles: readonly string[];
  readonly endpoints: readonly Endpoint[];
  /** By the injected clock; undefined where it is not renewed before the service refuses it. */
  readonly renewAt: number | undefined;
}

/** A project (a tenant, in v2.0) that the account may use. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}
