/** `watch:` of a document: records that must not appear too often in a device log after a commit. */
export interface LogWatch {
  /** `traffic`, `threat`, `system` … */
  readonly type: string;
  /** A filter in the device's own language. Undefined: all records of the type. */
  readonly query: string | undefined;
  /** Number of records at which the commit is rolled back. */
  readonly threshold: number;
  /** Minutes after the commit during which records count. */
  readonly minutes: number;
}

/** `probe:` of a document: a connection that must work after a commit. */
export type Probe = ProbeTries &
  (
    | { readonly kind: "tcp"; readonly host: string; readonly port: number }
    | { readonly kind: "http"; readonly url: string; readonly status: number }
    | { readonly kind: "dns"; readonly name: string; readonly server: string | undefined; readonly expect: string | undefined }
  );

export interface ProbeTries {
  /** Seconds per attempt. */
  readonly timeout: number;
  /** Maximum number of attempts. One of them must succeed. */
  readonly attempts: number;
}

/** All checks in the documents of one target. */
export interface Checks {
  readonly watches: readonly LogWatch[];
  readonly probes: readonly Probe[];
}

export type Leniency = "refuse" | "warn";

/** `artifacts:` of a document: files that must be known as clean before the target is written. */
export interface Artifacts {
  /** MD5 or SHA-256, lower case. */
  readonly hashes: readonly string[];
  /** Names of images. The target's image service returns their checksums. */
  readonly images: readonly string[];
  /** Handling of a verdict that is neither good nor bad. */
  readonly onUnknown: Leniency;
  /** Handling of an unavailable verdict. */
  readonly onUnavailable: Leniency;
}

/** Inclusive limits of the values above, for the loader and the schema. */
export const LIMITS = {
  threshold: [1, 5_000],
  minutes: [1, 60],
  timeout: [1, 60],
  attempts: [1, 30],
  port: [1, 65_535],
  status: [100, 599],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export const DEFAULTS = { threshold: 1, timeout: 5, attempts: 3, status: 200 } as const;
