import { PlumblineError } from "../core/errors.js";
import type { HeaderReader, Pair } from "./header-reader.js";

export type Pairs = ReadonlyMap<string, Pair>;

/** Returns functions that read sequences of small maps in a document header. All their errors have the same code. */
export function itemsWith(code: string) {
  const refuse = (reader: HeaderReader, node: number, message: string, next: string | undefined): undefined =>
    reader.error(new PlumblineError(code, message, { where: reader.where(node), next }));

  const items = (reader: HeaderReader, pair: Pair, name: string): number[] => {
    const { doc } = reader;
    if (doc.kind(pair.value) !== "sequence")
      return refuse(reader, pair.key, `${name}: takes a sequence.`, "Write its items with - below it.") ?? [];
    const found: number[] = [];
    for (let item = doc.first(pair.value); !doc.ends(item); item = doc.after(item)) found.push(item);
    return found;
  };

  return {
    refuse,
    /** Returns the nodes of a sequence; empty after an error. */
    items,
    /** Returns the text of a required key. */
    required(reader: HeaderReader, item: number, keys: Pairs, name: string): string | undefined {
      const pair = keys.get(name);
      if (pair !== undefined) return reader.text(pair, name);
      return refuse(reader, item, `${name}: is missing.`, `Write ${name}: and its value.`);
    },
    /** Returns the keys of an item, which must be a map. */
    mapOf(reader: HeaderReader, item: number, known: readonly string[], what: string): Pairs | undefined {
      if (reader.doc.kind(item) === "map") return reader.map(item, known);
      return refuse(reader, item, `${what} is a map.`, `Write { ${known.join(": …, ")}: … }, as far as they are needed.`);
    },
    /** Returns the texts of a sequence, each with its node. */
    texts(reader: HeaderReader, pair: Pair | undefined, name: string): { readonly text: string; readonly node: number }[] {
      if (pair === undefined) return [];
      return items(reader, pair, name).flatMap((node) => {
        const text = reader.text({ key: node, value: node }, name);
        return text === undefined ? [] : [{ text, node }];
      });
    },
  };
}
