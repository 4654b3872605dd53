import type { SecretValue } from "../core/secret.js";
import type { TlsTrust } from "../core/tls-trust.js";
import type { AgentConfiguration } from "./configuration/agent.js";

export type Mode = "observe" | "propose" | "enforce";

/** Text that may hold references (`${env:NAME}` …), already resolved where it is a secret. */
export interface Credentials {
  readonly username?: string | undefined;
  readonly password?: SecretValue | undefined;
  readonly apiKey?: SecretValue | undefined;
}

/** A target of kind `panos` in `plumbline.yaml`, defaults filled in, overrides from `PLUMBLINE_TARGET_<NAME>_*` applied. */
export interface PanosTargetConfiguration {
  readonly kind: "panos";
  readonly name: string;
  readonly url: string;
  readonly peers: readonly string[];
  readonly identity: { readonly serial?: string | undefined; readonly model?: string | undefined };
  readonly credentials: Credentials;
  readonly tls: TlsTrust;
  readonly mode: Mode;
  readonly http: "auto" | "get" | "post";
  readonly keyIn: "parameter" | "header";
  readonly foreignChanges: "refuse" | "leaveOut";
  readonly rewriteLists: "never" | "allowed";
  /** Seconds after which another run's lock with our mark may be taken over. */
  readonly takeoverAfter: number;
  readonly maxRequestBytes: number | undefined;
  readonly maxBatchOperations: number | undefined;
  readonly maxPendingChanges: number | undefined;
  /** `required`: changes that weaken meaning are refused unless approved. */
  readonly approve: "none" | "required";
  /** Seconds for one request. */
  readonly timeout: number;
}

/** A tree in a file, for tests of the core: `file` is XML, absolute. */
export interface MemoryTargetConfiguration {
  readonly kind: "memory";
  readonly name: string;
  readonly file: string;
  readonly mode: Mode;
  readonly rewriteLists: "never" | "allowed";
  readonly approve: "none" | "required";
}

/**
 * What `plumbline.yaml` itself (or `PLUMBLINE_TARGET_<NAME>_*`) says of the way into a cloud. Laid over the entry of
 * `clouds.yaml` or the `OS_*` variables, whose keys these are; undefined is not said.
 */
export interface OpenstackAccess {
  /** The identity service, with or without its version. */
  readonly authUrl?: string | undefined;
  readonly identityVersion?: "2.0" | "3" | undefined;
  readonly username?: string | undefined;
  readonly password?: SecretValue | undefined;
  /** Name of the user's domain. */
  readonly userDomain?: string | undefined;
  readonly applicationCredentialId?: string | undefined;
  readonly applicationCredentialName?: string | undefined;
  readonly applicationCredentialSecret?: SecretValue | undefined;
  readonly projectName?: string | undefined;
  readonly projectId?: string | undefined;
  /** Name of the project's domain. */
  readonly projectDomain?: string | undefined;
  readonly region?: string | undefined;
  readonly interface?: "public" | "internal" | "admin" | undefined;
  /** Base addresses that stand in for the catalog's, by type of service (`network`, `compute`, `image`). */
  readonly endpoints: ReadonlyMap<string, string>;
}

/** A target of kind `openstack`: one project of a cloud. */
export interface OpenstackTargetConfiguration {
  readonly kind: "openstack";
  readonly name: string;
  /** An entry of `clouds.yaml`. Where neither it nor `access.authUrl` is given, `OS_CLOUD` and the other `OS_*` variables say. */
  readonly cloud: string | undefined;
  readonly access: OpenstackAccess;
  readonly tls: TlsTrust;
  readonly mode: Mode;
  readonly rewriteLists: "never" | "allowed";
  readonly approve: "none" | "required";
  /** Seconds for one request. */
  readonly timeout: number;
  /** Seconds to look for what a create made whose reply was lost, before it is repeated. */
  readonly createSettle: number;
  /** Requests to one service at once. */
  readonly concurrency: number;
  /** Objects asked for in one page; what the service gives when undefined. */
  readonly pageSize: number | undefined;
}

export type ContrailAuth =
  | { readonly by: "none" }
  /** The controller's own user, by HTTP basic. */
  | { readonly by: "basic"; readonly username: string; readonly password: SecretValue }
  /** A token of the cloud beside it. */
  | { readonly by: "openstack"; readonly cloud: OpenstackTargetConfiguration };

/** A target of kind `contrail`: one network controller. */
export interface ContrailTargetConfiguration {
  readonly kind: "contrail";
  readonly name: string;
  readonly url: string;
  readonly auth: ContrailAuth;
  readonly tls: TlsTrust;
  readonly mode: Mode;
  readonly rewriteLists: "never" | "allowed";
  readonly approve: "none" | "required";
  /** Seconds for one request. */
  readonly timeout: number;
}

export type TargetConfiguration =
  | PanosTargetConfiguration
  | OpenstackTargetConfiguration
  | ContrailTargetConfiguration
  | MemoryTargetConfiguration;

/** Guards of `plumbline.yaml` (docs/plan.md#guards). Shares are 0 to 1. */
export interface GuardLimits {
  readonly updates: number;
  readonly deletes: number;
  /** Lists shorter than this are not measured by share. */
  readonly from: number;
  readonly emptyList: "refuse" | "allow";
  readonly deletesPerDay: number | undefined;
}

export interface Configuration {
  /** Absolute path of `plumbline.yaml`, and of the folder that holds it. */
  readonly file: string;
  readonly folder: string;
  readonly owner: string;
  readonly targets: ReadonlyMap<string, TargetConfiguration>;
  readonly guards: GuardLimits;
  readonly agent: AgentConfiguration;
  /** By target: subtrees with another mode than the target's, each by its XPath. A target without any is not in it. */
  readonly pathModes: ReadonlyMap<string, ReadonlyMap<string, Mode>>;
  /** Key of the fingerprints of stored secrets; a file of the state folder holds one where this is undefined. */
  readonly fingerprintKey?: SecretValue | undefined;
}
