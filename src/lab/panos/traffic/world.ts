/** What a device knows beside its configuration. */
export interface World {
  /** Addresses behind an FQDN or the URL of an external list. */
  readonly resolves: Readonly<Record<string, readonly string[]>>;
  /** Tags that were registered with an address. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
  /** Milliseconds since 1970, by the device's clock. */
  readonly now: number;
}

/** Nothing is resolved, nothing registered, and it is no time at which a schedule holds. */
export const NOTHING_KNOWN: World = { resolves: {}, tags: new Map(), now: Number.NaN };
