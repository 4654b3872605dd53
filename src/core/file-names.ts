/** Returns a name as one component of a file name and of a git ref: characters other than `A-Za-z0-9_-.` are percent-encoded. */
export function toFileName(name: string): string {
  const dotted = /^\.|\.$|\.\.|\.lock$/.test(name);
  return name.replace(dotted ? /[^A-Za-z0-9_-]/gu : /[^A-Za-z0-9_.-]/gu, (character) =>
    [...Buffer.from(character, "utf8")].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}

/** Reverses `toFileName`. */
export function fromFileName(file: string): string {
  return decodeURIComponent(file);
}
