import { type Block, formatBlock, overlap, parseBlock } from "./addresses.js";

/** Returns the parts of `some` that no network of `others` covers, with partly covered networks cut into halves. */
export function networksWithout(some: readonly string[], others: readonly string[]): string[] {
  const taken = others.flatMap((text) => parseBlock(text) ?? []);
  const blocks = some.flatMap((text) => parseBlock(text) ?? []);
  return blocks.flatMap((block) => outside(block, taken)).map(formatBlock);
}

function outside(block: Block, taken: readonly Block[]): Block[] {
  const near = taken.filter((each) => each.version === block.version && overlap(each, block));
  if (near.length === 0) return [block];
  if (near.some(({ prefixLength }) => prefixLength <= block.prefixLength)) return [];
  return halves(block).flatMap((half) => outside(half, near));
}

function halves({ version, prefixLength, first, last }: Block): Block[] {
  const middle = first + (last - first) / 2n;
  return [
    { version, prefixLength: prefixLength + 1, first, last: middle },
    { version, prefixLength: prefixLength + 1, first: middle + 1n, last },
  ];
}
