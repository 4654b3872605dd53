import type { SecretValue } from "../secret.js";

export type Mode = "observe" | "propose" | "enforce";

/** Text that may hold references (`${env:NAME}` …), already resolved where it is a secret. */
export interface Credentials {
  readonly username?: string | undefined;
  readonly password?: SecretValue | undefined;
  readonly apiKey?: SecretValue | undefined;
}

export interface Tls {
  /** Path of a PEM file, absolute. */
  readonly ca?: string | undefined;
  /** `sha256/<base64>` of the certificate's public key, or `sha256:<hex>` of the certificate. */
  readonly pin?: string | undefined;
  readonly insecure: boolean;
}

/** A target of kind `panos` in `plumbline.yaml`, defaults filled in, overrides from `PLUMBLINE_TARGET_<NAME>_*` applied. */
export interface PanosTargetConfiguration {
  readonly kind: "panos";
  readonly name: string;
  readonly url: string;
  readonly peers: readonly string[];
  readonly identity: { readonly serial?: string | undefined; readonly model?: string | undefined };
  readonly credentials: Credentials;
  readonly tls: Tls;
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

export type TargetConfiguration = PanosTargetConfiguration | MemoryTargetConfiguration;

/** Guards of `plumbline.yaml` (PLAN-AND-APPLY.md 4). Shares are 0 to 1. */
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
  /** Key of the fingerprints of stored secrets; a file of the state folder holds one where this is undefined. */
  readonly fingerprintKey?: SecretValue | undefined;
}
