import { PlumblineError, type Where } from "../core/errors.js";
import type { Problems } from "./problems.js";
import type { SourceFile } from "./source-file.js";
import { suggest } from "./suggest.js";
import type { YamlDocument } from "./yaml/document.js";

export interface Pair {
  readonly key: number;
  readonly value: number;
}

/** Reads small maps with known keys, and reports errors in them. */
export class HeaderReader {
  readonly doc: YamlDocument;
  readonly #file: SourceFile;
  readonly #problems: Problems;

  constructor(file: SourceFile, doc: YamlDocument, problems: Problems) {
    this.doc = doc;
    this.#file = file;
    this.#problems = problems;
  }

  where(node: number): Where {
    return this.#file.where(this.doc.offset(node));
  }

  error(error: PlumblineError): undefined {
    this.#problems.error(error);
    return undefined;
  }

  /** Returns the pairs of a map by key. Reports keys outside `known`. */
  map(map: number, known: readonly string[]): ReadonlyMap<string, Pair> {
    const { doc } = this;
    const pairs = new Map<string, Pair>();
    for (let key = doc.first(map); !doc.ends(key); ) {
      const value = doc.after(key);
      const word = doc.text(key);
      if (known.includes(word)) pairs.set(word, { key, value });
      else
        this.error(
          new PlumblineError("document-key", `"${word}" is not a valid key here.`, {
            where: this.where(key),
            next: suggest(word, known),
          }),
        );
      key = doc.after(value);
    }
    return pairs;
  }

  /** Returns the text of a scalar, which must not be empty. */
  text(pair: Pair, name: string): string | undefined {
    const { doc } = this;
    if (doc.kind(pair.value) === "scalar" && !doc.isLeftOut(pair.value) && doc.text(pair.value) !== "") return doc.text(pair.value);
    return this.error(
      new PlumblineError("document-key", `${name}: takes one value.`, {
        where: this.where(pair.key),
        next: `Write ${name}: and its value.`,
      }),
    );
  }

  /** Runs an XPath parser and adds the place in the file to its error. */
  xpath<Result>(node: number, parse: () => Result): Result | undefined {
    try {
      return parse();
    } catch (cause) {
      if (!(cause instanceof PlumblineError)) throw cause;
      return this.error(
        new PlumblineError(cause.code, cause.message, { where: { ...this.where(node), xpath: cause.where.xpath }, next: cause.next }),
      );
    }
  }
}
