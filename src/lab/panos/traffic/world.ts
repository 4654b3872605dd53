/** State outside the configuration that affects the decision of rules. */
export interface World {
  /** Addresses of an FQDN, or contents of an external list by its URL. */
  readonly resolves: Readonly<Record<string, readonly string[]>>;
  /** Registered tags of each address. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
  /** Device time in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/** No resolved names and no registered tags. The time is NaN, so no schedule is active. */
export const NOTHING_KNOWN: World = { resolves: {}, tags: new Map(), now: Number.NaN };
