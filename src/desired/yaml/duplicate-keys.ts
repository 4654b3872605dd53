import { type Document, isCollection, isPair, isScalar } from "yaml";

/**
 * Where a key of a map stands for the second time, as offsets into the text: what the option `uniqueKeys` of `yaml` finds, which
 * compares each key with all before it. For documents that were parsed from `text` without that option.
 */
export function duplicateKeys(document: Document, text: string): readonly number[] {
  const found: number[] = [];
  collect(document.contents, found);
  // An empty key begins before the space in front of its colon.
  return found.map((offset) => offset + Math.max(0, text.slice(offset, offset + 100).search(/\S/)));
}

function collect(node: unknown, found: number[]): void {
  if (!isCollection(node)) return;
  const seen = new Set<unknown>();
  for (const item of node.items) {
    if (!isPair(item)) {
      collect(item, found);
      continue;
    }
    const { key, value } = item;
    collect(key, found);
    collect(value, found);
    // `.nan` is no other `.nan`, as for the option.
    if (!isScalar(key) || Number.isNaN(key.value)) continue;
    if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
    seen.add(key.value);
  }
}
