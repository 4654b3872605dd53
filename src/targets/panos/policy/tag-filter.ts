/** Whether an object with these tags matches. */
export type TagFilter = (tags: ReadonlySet<string>) => boolean;

/**
 * Parses the filter of a dynamic group: tags, quoted or plain, joined by `and` and `or` (`and` binds closer), with parentheses. Undefined
 * for other text.
 */
export function readTagFilter(text: string): TagFilter | undefined {
  const tokens = text.match(/'[^']*'|"[^"]*"|[()]|[^\s()'"]+/g) ?? [];
  if (tokens.join("").length !== text.replace(/('[^']*'|"[^"]*")|\s+/g, "$1").length) return undefined;
  const reader = new Reader(tokens);
  const filter = reader.either();
  return reader.isDone ? filter : undefined;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isDone(): boolean {
    return this.#at === this.#tokens.length;
  }

  either(): TagFilter | undefined {
    return this.#joined("or", () => this.#joined("and", () => this.#one(), every), some);
  }

  #joined(word: string, read: () => TagFilter | undefined, join: (filters: readonly TagFilter[]) => TagFilter): TagFilter | undefined {
    const filters: TagFilter[] = [];
    do {
      const filter = read();
      if (filter === undefined) return undefined;
      filters.push(filter);
    } while (this.#takes(word));
    return join(filters);
  }

  #one(): TagFilter | undefined {
    if (this.#takes("(")) {
      const filter = this.either();
      return this.#takes(")") ? filter : undefined;
    }
    const token = this.#tokens[this.#at++];
    if (token === undefined || /^(\(|\)|and|or|not)$/i.test(token)) return undefined;
    const tag = /^['"]/.test(token) ? token.slice(1, -1) : token;
    return (tags) => tags.has(tag);
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#at]?.toLowerCase() !== word) return false;
    this.#at++;
    return true;
  }
}

const every =
  (filters: readonly TagFilter[]): TagFilter =>
  (tags) =>
    filters.every((filter) => filter(tags));
const some =
  (filters: readonly TagFilter[]): TagFilter =>
  (tags) =>
    filters.some((filter) => filter(tags));
