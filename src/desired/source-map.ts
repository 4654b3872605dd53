/** A place in a file. `line` and `column` are 1-based; columns are UTF-16 code units. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Maps positions in many files to one integer each (the file's base plus the offset), so that a million nodes need no objects. Lines are
 * only computed on demand.
 */
export class SourceMap {
  readonly #files: { readonly file: string; readonly base: number; readonly text: string; starts: number[] | undefined }[] = [];
  /** Other positions of nodes that several documents declare, by the position of the node. */
  readonly #others = new Map<number, Set<number>>();
  #end = 0;

  /** Registers a file; positions in it are the returned base plus an offset in UTF-16 code units. */
  add(file: string, text: string): number {
    const base = this.#end;
    this.#files.push({ file, base, text, starts: undefined });
    this.#end = base + text.length + 1;
    return base;
  }

  /** Returns whether both contain the same files with the same texts. */
  holdsSameAs(other: SourceMap): boolean {
    return (
      this.#files.length === other.#files.length &&
      this.#files.every(({ file, text }, index) => file === other.#files[index]?.file && text === other.#files[index]?.text)
    );
  }

  /** Records that a node is also declared at another position. */
  join(position: number, other: number): void {
    if (position < 0 || other < 0 || position === other) return;
    const others = this.#others.get(position) ?? new Set();
    this.#others.set(position, others.add(other));
    for (const each of this.#others.get(other) ?? []) others.add(each);
  }

  /** Returns every place where the node with this position is declared. */
  places(position: number): Location[] {
    return [position, ...(this.#others.get(position) ?? [])].flatMap((each) => this.locate(each) ?? []);
  }

  /** Returns the place of a position, or undefined for -1. */
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

/** Returns the largest index below `length` for which `holds` is true. `holds` must be true for a prefix of the indexes, including 0. */
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
