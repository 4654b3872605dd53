import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPair, isScalar, parseDocument, type Scalar, visit } from "yaml";
import type { Location } from "../../src/desired/source-map.js";

/** Scalars of a project's documents by the position of their key, or their own position without a key. Each can get another text. */
export class Documents {
  readonly #folder: string;
  readonly #files = new Map<string, Document>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** False if there is no value at the place: a secret, or content of `$xml`. */
  replace({ file, line, column }: Location, text: string): boolean {
    const document = this.#files.get(file) ?? new Document(readFileSync(join(this.#folder, file), "utf8"));
    this.#files.set(file, document);
    return document.replace(line, column, text);
  }

  save(): void {
    for (const [file, document] of this.#files) writeFileSync(join(this.#folder, file), document.text());
  }
}

class Document {
  readonly #text: string;
  readonly #starts: number[];
  readonly #scalars = new Map<number, Scalar>();
  readonly #edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    visit(parseDocument(text), {
      Scalar: (key, node, above) => {
        const pair = above.at(-1);
        const at =
          key === "value" && isPair(pair) && isScalar(pair.key) ? pair.key.range?.[0] : key === "key" ? undefined : node.range?.[0];
        if (at !== undefined) this.#scalars.set(at, node);
      },
    });
  }

  replace(line: number, column: number, text: string): boolean {
    const [from, to] = this.#scalars.get((this.#starts[line - 1] ?? 0) + column - 1)?.range ?? [];
    if (from === undefined || to === undefined || this.#text.slice(from, to).includes("${")) return false;
    this.#edits.push({ from, to, text: `${JSON.stringify(text)}${this.#text.slice(from, to).endsWith("\n") ? "\n" : ""}` });
    return true;
  }

  text(): string {
    const edits = [...this.#edits].sort((a, b) => b.from - a.from);
    return edits.reduce((text, { from, to, text: by }) => text.slice(0, from) + by + text.slice(to), this.#text);
  }
}
