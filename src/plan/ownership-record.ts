/**
 * How a row came into the ledger: we made it; it was there and we changed it; it was there and equal to what was declared;
 * `plumbline adopt` took it over; or it is `unclear`, because only one of two ledgers of the past has it.
 */
export type Origin = "made" | "changed" | "equal" | "adopted" | "unclear";

/** What the ledger remembers of a path; no values. */
export interface OwnershipRow {
  /** Left out for what only a ledger of format 1 knows, which did not say: it counts as made. */
  readonly came?: Origin | undefined;
  /** `printOf` what stood there when we left it. */
  readonly print?: string | undefined;
  /** The platform's own id of the object, where it has one. */
  readonly id?: string | undefined;
  /** The run that left it so, and its commit of the desired state. */
  readonly run?: string | undefined;
  readonly commit?: string | undefined;
}

/**
 * What planning knows of our former runs: the paths of one owner on one target, and the commit that declared them
 * (docs/ownership.md).
 */
export interface OwnershipRecord {
  readonly owner: string;
  readonly target: string;
  /** Commit of the desired state that was applied, or undefined outside git. */
  readonly commit: string | undefined;
  /** Canonical XPaths, sorted, of every owned entry, member set and leaf outside a whole entry. */
  readonly paths: readonly string[];
  /** Those of `paths` that were noted before a write and have not been read back yet: that they are absent proves nothing. */
  readonly announced?: readonly string[] | undefined;
  /** Those of `paths` that a run noted it would take away and that have not been read back since: that they are absent is no surprise. */
  readonly leaving?: readonly string[] | undefined;
  /** By path; a path without a row comes from a ledger of format 1. */
  readonly rows?: Readonly<Record<string, OwnershipRow>> | undefined;
  /** Rows by which nothing may be deleted, each with the reason: no accepted commit declares them. Found by each run, never stored. */
  readonly unconfirmed?: ReadonlyMap<string, string> | undefined;
  /** Lists adopted as exclusive: first contact is over. */
  readonly adopted: readonly string[];
  /** XPath of a stored secret to HMAC fingerprints of our plaintext and of the ciphertext read back. */
  readonly secrets: Readonly<Record<string, { readonly plain: string; readonly stored: string }>>;
  /** Deletes sent on `day` (yyyy-mm-dd), for the daily budget. */
  readonly deletes?: { readonly day: string; readonly count: number } | undefined;
}

/**
 * Returns the rows that are not deleted when they leave the documents, unless they are adopted: rows that were found equal, that
 * only one of two former ledgers has, that a run announced and never verified, or that no accepted commit declares
 * (docs/ownership.md#how-a-row-came).
 */
export function foundOnly({ rows = {}, announced = [], unconfirmed }: OwnershipRecord): ReadonlySet<string> {
  const found = new Set<string>(unconfirmed?.keys());
  const unproven = new Set(announced);
  for (const [path, { came }] of Object.entries(rows))
    if (came === "equal" || came === "unclear" || (came === "changed" && unproven.has(path))) found.add(path);
  return found;
}
