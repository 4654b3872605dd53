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
  /** Lists adopted as exclusive: first contact is over. */
  readonly adopted: readonly string[];
  /** XPath of a stored secret to HMAC fingerprints of our plaintext and of the ciphertext read back. */
  readonly secrets: Readonly<Record<string, { readonly plain: string; readonly stored: string }>>;
  /** Deletes sent on `day` (yyyy-mm-dd), for the daily budget. */
  readonly deletes?: { readonly day: string; readonly count: number } | undefined;
}
