/** What a pattern of names may contain. */
export interface NameWords {
  readonly from: string;
  readonly to: string;
  readonly service: string;
  readonly application: string;
  /** Reason of the request. Its first word is used. */
  readonly note: string;
}

/** Characters that the number of a name needs. */
const NUMBER = 4;

/**
 * Fills in a pattern like `{from}-to-{to}` and returns a name that is not taken. Without `{n}`, or if the name is too long for it, a number
 * follows the second and later names.
 */
export function freeName(
  pattern: string,
  { note, ...words }: NameWords,
  isTaken: (name: string) => boolean,
  { prefix = "", longest }: { readonly prefix?: string; readonly longest: number },
): string {
  const [reason = ""] = /[A-Za-z0-9._-]+/.exec(note) ?? [];
  const values: Readonly<Record<string, string>> = { ...words, reason };
  const fill = (n: number): string => {
    const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, word: string) => (word === "n" ? String(n) : plainWord(values[word] ?? "")));
    const name = `${prefix}${filled}`.replace(/^[^A-Za-z0-9]+/, "").slice(0, longest - NUMBER);
    return name.trimEnd() || "rule";
  };
  const isNumbered = fill(1) !== fill(2);
  for (let n = 1; ; n++) {
    const name = n === 1 || isNumbered ? fill(n) : `${fill(n)}-${n}`;
    if (!isTaken(name)) return name;
  }
}

const plainWord = (text: string): string => text.replaceAll(/[^A-Za-z0-9._-]+/g, "-");
