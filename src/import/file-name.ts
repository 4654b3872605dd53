const LONGEST = 80;

/**
 * Converts a name to a path segment that is valid on every file system. Special characters become `-`. The result is not unique; see
 * `FileNames`.
 */
export function segment(name: string): string {
  const safe = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+/, "")
    .slice(0, LONGEST)
    .replace(/[. -]+$/, "");
  return safe === "" ? "_" : safe;
}

/** Assigns a unique path to each owner. Paths that differ only in special characters or in case get a number. */
export class FileNames {
  readonly #owners = new Map<string, string>();

  /** `wanted` has no extension for files. `owner` identifies the same thing in every call. */
  path(wanted: string, owner: string): string {
    for (let number = 1; ; number++) {
      const path = number === 1 ? wanted : `${wanted}~${number}`;
      const key = path.toLowerCase();
      const known = this.#owners.get(key);
      if (known === undefined) this.#owners.set(key, owner);
      if (known === undefined || known === owner) return path;
    }
  }
}
