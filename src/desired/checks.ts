/** `watch:` of a document: what a log of the device must not say too often after a commit. */
export interface LogWatch {
  /** `traffic`, `threat`, `system` … */
  readonly type: string;
  /** A filter in the device's own language; all records of the type where it is undefined. */
  readonly query: string | undefined;
  /** Records from which on the commit is taken back. */
  readonly threshold: number;
  /** How long after the commit records count. */
  readonly minutes: number;
}

/** `probe:` of a document: what must work after a commit. */
export type Probe = ProbeTries &
  (
    | { readonly kind: "tcp"; readonly host: string; readonly port: number }
    | { readonly kind: "http"; readonly url: string; readonly status: number }
    | { readonly kind: "dns"; readonly name: string; readonly server: string | undefined; readonly expect: string | undefined }
  );

export interface ProbeTries {
  /** Seconds that one attempt may take. */
  readonly timeout: number;
  /** One of them must succeed. */
  readonly attempts: number;
}

/** All checks that the documents of one target declare. */
export interface Checks {
  readonly watches: readonly LogWatch[];
  readonly probes: readonly Probe[];
}

export type Leniency = "refuse" | "warn";

/** `artifacts:` of a document: files that must be known to be clean before the target is written. */
export interface Artifacts {
  /** MD5 or SHA-256, lower case. */
  readonly hashes: readonly string[];
  /** Names of images whose checksum the target's image service gives. */
  readonly images: readonly string[];
  /** What becomes of a verdict that is neither good nor bad. */
  readonly onUnknown: Leniency;
  /** What becomes of a verdict that cannot be had. */
  readonly onUnavailable: Leniency;
}

/** Bounds of the values above, for the loader and the schema; both ends belong. */
export const LIMITS = {
  threshold: [1, 5_000],
  minutes: [1, 60],
  timeout: [1, 60],
  attempts: [1, 30],
  port: [1, 65_535],
  status: [100, 599],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export const DEFAULTS = { threshold: 1, timeout: 5, attempts: 3, status: 200 } as const;
