/**
 * How a row came into the ledger:
 * - `made`: Plumbline created the object.
 * - `changed`: it existed and Plumbline changed it.
 * - `equal`: it existed and equalled the declaration.
 * - `adopted`: `plumbline adopt` took it over.
 * - `unclear`: only one of two former ledgers has it.
 */
export type Origin = "made" | "changed" | "equal" | "adopted" | "unclear";

/** Facts about a path in the ledger, without values. */
export interface OwnershipRow {
  /** Undefined for rows from a ledger of format 1, which did not record it. They count as made. */
  readonly came?: Origin | undefined;
  /** `printOf` the node after the last write. */
  readonly print?: string | undefined;
  /** The platform's own id of the object, if it has one. */
  readonly id?: string | undefined;
  /** The run of the last write, and its commit of the desired state. */
  readonly run?: string | undefined;
  readonly commit?: string | undefined;
}

/** Record of former runs: the paths of one owner on one target, and the commit that declared them (docs/ownership.md). */
export interface OwnershipRecord {
  readonly owner: string;
  readonly target: string;
  /** Commit of the applied desired state. Undefined outside git. */
  readonly commit: string | undefined;
  /** Canonical XPaths, sorted: every owned entry, member set, and leaf outside a completely owned entry. */
  readonly paths: readonly string[];
  /** Entries of `paths` recorded before a write and not verified yet. Their absence proves no deletion. */
  readonly announced?: readonly string[] | undefined;
  /** Entries of `paths` that a run intended to delete and that are not verified yet. Their absence is expected. */
  readonly leaving?: readonly string[] | undefined;
  /** By path. A path without a row comes from a ledger of format 1. */
  readonly rows?: Readonly<Record<string, OwnershipRow>> | undefined;
  /** Rows that must not cause deletes, each with the reason: no accepted commit declares them. Computed by each run, never stored. */
  readonly unconfirmed?: ReadonlyMap<string, string> | undefined;
  /** Lists adopted as exclusive: the `first-contact` guard no longer applies. */
  readonly adopted: readonly string[];
  /** HMAC fingerprints by XPath of a stored secret: of the plaintext, and of the ciphertext that was read back. */
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
