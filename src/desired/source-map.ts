/** One place in a file; `line` and `column` are 1-based, columns in UTF-16 code units. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Positions in many files as one small integer each (the file's base plus the offset in it), so that a million nodes
 * can carry one without an object. Lines are found only when an error or a report asks.
 */
export class SourceMap {
  readonly #files: { readonly file: string; readonly base: number; readonly text: string; starts: number[] | undefined }[] = [];
  #end = 0;

  /** Registers a file; positions in it are the returned base plus an offset in UTF-16 code units. */
  add(file: string, text: string): number {
    const base = this.#end;
    this.#files.push({ file, base, text, starts: undefined });
    this.#end = base + text.length + 1;
    return base;
  }

  /** True where both hold the same files with the same texts. */
  holdsSameAs(other: SourceMap): boolean {
    return (
      this.#files.length === other.#files.length &&
      this.#files.every(({ file, text }, index) => file === other.#files[index]?.file && text === other.#files[index]?.text)
    );
  }

  /** The place of a position, or undefined for -1. */
  locate(position: number): Location | undefined {
    if (position < 0 || position >= this.#end) return undefined;
    const entry = this.#files[lastAtMost(this.#files.length, (i) => (this.#files[i]?.base ?? 0) <= position)];
    if (entry === undefined) return undefined;
    entry.starts ??= lineStarts(entry.text);
    const starts = entry.starts;
    const offset = position - entry.base;
    const line = lastAtMost(starts.length, (i) => (starts[i] ?? 0) <= offset);
    return { file: entry.file, line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The largest index below `length` for which `holds`, which is true for a prefix of them that includes 0. */
function lastAtMost(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
