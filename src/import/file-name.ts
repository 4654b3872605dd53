const LONGEST = 80;

/** A name as one segment of a path, on every file system: odd characters become `-`. Not unique; see `FileNames`. */
export function segment(name: string): string {
  const safe = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+/, "")
    .slice(0, LONGEST)
    .replace(/[. -]+$/, "");
  return safe === "" ? "_" : safe;
}

/** Gives each owner its own path; two that differ in odd characters or in case alone get a number. */
export class FileNames {
  readonly #owners = new Map<string, string>();

  /** `wanted` without extension for files; `owner` is the same for the same thing on every call. */
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
