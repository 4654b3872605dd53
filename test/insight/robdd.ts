/** A node: which variable it asks, and where its answer leads. 0 and 1 are the two ends. */
type Node = number;
export const FALSE: Node = 0;
export const TRUE: Node = 1;

/**
 * Reduced ordered binary decision diagrams, as small as the tests need: sets of bit strings of a fixed length, in one
 * canonical form, so that equal sets are equal numbers. A second way to do what boxes do, sharing nothing with them.
 */
export class Robdd {
  readonly #nodes: (readonly [variable: number, low: Node, high: Node])[] = [
    [Number.POSITIVE_INFINITY, FALSE, FALSE],
    [Number.POSITIVE_INFINITY, TRUE, TRUE],
  ];
  readonly #unique = new Map<string, Node>();
  readonly #memory = new Map<string, Node>();

  and(a: Node, b: Node): Node {
    return this.#apply("and", a, b, (x, y) =>
      x === FALSE || y === FALSE ? FALSE : x === TRUE ? y : y === TRUE || x === y ? x : undefined,
    );
  }

  or(a: Node, b: Node): Node {
    return this.#apply("or", a, b, (x, y) => (x === TRUE || y === TRUE ? TRUE : x === FALSE ? y : y === FALSE || x === y ? x : undefined));
  }

  xor(a: Node, b: Node): Node {
    return this.#apply("xor", a, b, (x, y) => (x === y ? FALSE : x === FALSE ? y : y === FALSE ? x : undefined));
  }

  not(a: Node): Node {
    return this.xor(a, TRUE);
  }

  variable(at: number, value: boolean): Node {
    return value ? this.#node(at, FALSE, TRUE) : this.#node(at, TRUE, FALSE);
  }

  /** Numbers from `first` to `last` in bits `offset` on, `bits` of them, the highest first. */
  range(offset: number, bits: number, first: bigint, last: bigint): Node {
    return this.and(this.#bound(offset, bits, first, true), this.#bound(offset, bits, last, false));
  }

  /** Numbers of at least `value`, or of at most `value`, built from the lowest bit up. */
  #bound(offset: number, bits: number, value: bigint, atLeast: boolean): Node {
    let node: Node = TRUE;
    for (let bit = 0; bit < bits; bit++) {
      const isSet = ((value >> BigInt(bit)) & 1n) === 1n;
      const at = offset + bits - 1 - bit;
      if (atLeast) node = isSet ? this.#node(at, FALSE, node) : this.#node(at, node, TRUE);
      else node = isSet ? this.#node(at, TRUE, node) : this.#node(at, node, FALSE);
    }
    return node;
  }

  #node(variable: number, low: Node, high: Node): Node {
    if (low === high) return low;
    const key = `${variable} ${low} ${high}`;
    const known = this.#unique.get(key);
    if (known !== undefined) return known;
    const node = this.#nodes.push([variable, low, high]) - 1;
    this.#unique.set(key, node);
    return node;
  }

  #apply(name: string, a: Node, b: Node, end: (a: Node, b: Node) => Node | undefined): Node {
    const ended = end(a, b);
    if (ended !== undefined) return ended;
    const key = `${name} ${Math.min(a, b)} ${Math.max(a, b)}`;
    const known = this.#memory.get(key);
    if (known !== undefined) return known;
    const [one, other] = [this.#nodes[a], this.#nodes[b]] as const;
    if (one === undefined || other === undefined) throw new RangeError("no such node");
    const variable = Math.min(one[0], other[0]);
    const branch = (node: Node, [own, low, high]: readonly [number, Node, Node], side: 1 | 2): Node =>
      own === variable ? (side === 1 ? low : high) : node;
    const low = this.#apply(name, branch(a, one, 1), branch(b, other, 1), end);
    const high = this.#apply(name, branch(a, one, 2), branch(b, other, 2), end);
    const node = this.#node(variable, low, high);
    this.#memory.set(key, node);
    return node;
  }
}
