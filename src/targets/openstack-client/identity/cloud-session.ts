import type { SecretValue } from "../../../core/secret.js";
import type { Endpoint } from "../catalog/catalog.js";

/** A token and its details from the identity service. */
export interface CloudSession {
  /** Undefined if the cloud uses no tokens (`auth_type: none`). */
  readonly token: SecretValue | undefined;
  /** Project of the token. Undefined only without a token. */
  readonly project: { readonly id: string; readonly name: string } | undefined;
  readonly user: { readonly id: string; readonly name: string } | undefined;
  readonly roles: readonly string[];
  readonly endpoints: readonly Endpoint[];
  /** Time of the injected clock. Undefined if the token is not renewed before a service refuses it. */
  readonly renewAt: number | undefined;
}

/** A project (a tenant, in v2.0) that the account may use. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}
