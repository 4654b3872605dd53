import type { SecretValue, TextOrSecret } from "../../core/secret.js";
import type { TlsTrust } from "../../core/tls-trust.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";

/**
 * Access settings from `plumbline.yaml` and `PLUMBLINE_TARGET_<NAME>_*`. They override the entry of `clouds.yaml` or the `OS_*` variables,
 * which have the same keys. Undefined settings are not configured.
 * Exported for tests that build one.
 */
export interface OpenstackAccess {
  /** Address of the identity service, with or without its version. */
  readonly authUrl?: string | undefined;
  readonly identityVersion?: "2.0" | "3" | undefined;
  readonly username?: TextOrSecret | undefined;
  readonly password?: SecretValue | undefined;
  /** Name of the user's domain. */
  readonly userDomain?: TextOrSecret | undefined;
  readonly applicationCredentialId?: TextOrSecret | undefined;
  readonly applicationCredentialName?: TextOrSecret | undefined;
  readonly applicationCredentialSecret?: SecretValue | undefined;
  readonly projectName?: string | undefined;
  readonly projectId?: string | undefined;
  /** Name of the project's domain. */
  readonly projectDomain?: string | undefined;
  readonly region?: string | undefined;
  readonly interface?: "public" | "internal" | "admin" | undefined;
  /** Base addresses that replace those of the catalog, by service type (`network`, `compute`, `image`, `volume`). */
  readonly endpoints: ReadonlyMap<string, string>;
}

/** A target of this kind: one project of a cloud. */
export interface OpenstackTargetConfiguration extends TargetConfiguration {
  readonly kind: "openstack";
  /** An entry of `clouds.yaml`. If neither this nor `access.authUrl` is set, `OS_CLOUD` and the other `OS_*` variables apply. */
  readonly cloud: string | undefined;
  readonly access: OpenstackAccess;
  readonly tls: TlsTrust;
  /** Folder of `plumbline.yaml`, absolute. Client configuration inside its checkout is not used. */
  readonly folder: string;
  /** References of the login in `plumbline.yaml`, each as `env:NAME`. */
  readonly references: readonly string[];
  /** Timeout of one request, in seconds. */
  readonly timeout: number;
  /** Seconds to search for the object of a create whose reply was lost, before the create is repeated. */
  readonly createSettle: number;
  /** Maximum number of concurrent requests to one service. */
  readonly concurrency: number;
  /** Number of objects per page. Undefined for the service's default. */
  readonly pageSize: number | undefined;
}

export function isOpenstack(target: TargetConfiguration): target is OpenstackTargetConfiguration {
  return target.kind === "openstack";
}
