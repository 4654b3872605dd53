import { isMap, isPair, isScalar, isSeq, type Pair, type Scalar, visit, type YAMLMap } from "yaml";
import type { DesiredNode } from "../../desired/model.js";
import { parseYaml } from "../../import/yaml.js";

/** A text in a document: a key, a value or an item of a sequence. */
export interface Token {
  readonly scalar: Scalar<string>;
  /** Offsets in the text, with quotes. */
  readonly start: number;
  readonly end: number;
  readonly isKey: boolean;
  readonly pair: Pair | undefined;
  /** The token is between the brackets of a flow collection. */
  readonly inFlow: boolean;
  /** Keys of the maps around the token, and the key of a value, from the outside. */
  readonly keys: readonly string[];
}

/** The texts of a YAML document by their offset. */
export class Tokens {
  readonly text: string;
  readonly #starts: readonly number[];
  readonly #tokens = new Map<number, Token>();
  /** Maps in sequences, by the offset of their first character. */
  readonly #items = new Map<number, YAMLMap>();

  constructor(text: string) {
    this.text = text;
    this.#starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    visit(parseYaml(text), {
      Scalar: (key, node, path) => {
        const [start, end] = node.range ?? [];
        if (start === undefined || end === undefined) return;
        const parent = path.at(-1);
        const pair = isPair(parent) ? parent : undefined;
        const inFlow = path.some((each) => (isMap(each) || isSeq(each)) && each.flow === true);
        const isKey = key === "key";
        const around = path.flatMap((each) => (isPair(each) && isScalar(each.key) ? [String(each.key.value)] : []));
        const keys = isKey ? around.slice(0, -1) : around;
        this.#tokens.set(start, { scalar: node as Scalar<string>, start, end, isKey, pair, inFlow, keys });
      },
      Map: (_key, node, path) => {
        if (isSeq(path.at(-1)) && node.range) this.#items.set(node.range[0], node);
      },
    });
  }

  /** Returns the offset of a place. Line and column are 0-based. */
  offset({ line, character }: { readonly line: number; readonly character: number }): number {
    return (this.#starts[line] ?? this.text.length) + character;
  }

  /** Returns the place of an offset. Line and column are 0-based. */
  position(offset: number): { readonly line: number; readonly character: number } {
    let line = this.#starts.length - 1;
    while ((this.#starts[line] ?? 0) > offset) line--;
    return { line, character: offset - (this.#starts[line] ?? 0) };
  }

  range(start: number, end: number) {
    return { start: this.position(start), end: this.position(end) };
  }

  /** Returns the token that contains the offset or ends there. */
  containing(offset: number): Token | undefined {
    return this.all().find(({ start, end }) => start <= offset && offset <= end);
  }

  all(): readonly Token[] {
    return [...this.#tokens.values()];
  }

  /** Returns the token with the name of an entry, or with the value of a leaf or member, whose declaration begins at the offset. */
  of({ name, tag }: DesiredNode, offset: number): Token | undefined {
    const item = name === undefined ? undefined : this.#items.get(offset);
    const named = item?.items.find(({ key, value }) => isScalar(key) && key.value === "name" && isScalar(value));
    if (named !== undefined) return this.#startingAt(named.value as Scalar);
    const token = this.#tokens.get(offset);
    if (token === undefined || name !== undefined || tag === "member" || !token.isKey) return token;
    return isScalar(token.pair?.value) ? this.#startingAt(token.pair.value) : undefined;
  }

  /** Returns the map with the content of the entry that begins at the offset. */
  bodyOf(offset: number): YAMLMap | undefined {
    const item = this.#items.get(offset);
    if (item !== undefined) return item;
    const value = this.#tokens.get(offset)?.pair?.value;
    return isMap(value) ? value : undefined;
  }

  /** Returns the token of a pair's key or value, if it is a text. */
  tokenOf(node: unknown): Token | undefined {
    return isScalar(node) ? this.#startingAt(node) : undefined;
  }

  /** Returns the offsets of the key at the offset and everything below it. */
  extent(offset: number): readonly [number, number] {
    const item = this.#items.get(offset);
    const token = this.#tokens.get(offset);
    const value = item ?? token?.pair?.value;
    const end = (value as { readonly range?: readonly number[] } | undefined)?.range?.[1];
    return [offset, Math.max(end ?? 0, token?.end ?? offset)];
  }

  #startingAt({ range }: Scalar): Token | undefined {
    return range === undefined || range === null ? undefined : this.#tokens.get(range[0]);
  }
}
