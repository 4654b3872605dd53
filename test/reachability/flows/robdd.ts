/** A node: its variable and the results of both values. 0 and 1 are the terminals. */
type Node = number;
export const FALSE: Node = 0;
export const TRUE: Node = 1;

const [AND, OR, XOR] = [1, 2, 3];
type Operation = number;
/** Variable of the two ends: below all others. */
const END = 2 ** 31 - 1;
/** Results that are remembered at most; a new one takes the place of an old one. */
const MEMORY = 2 ** 22;

/**
 * Reduced ordered binary decision diagrams: sets of bit strings of a fixed length in a canonical form, so that equal sets are equal
 * numbers. An independent alternative to boxes. Two policies of a thousand rules need tens of millions of nodes, so nodes are stored in
 * arrays of numbers.
 */
export class Robdd {
  #count = 2;
  #variables = new Int32Array(2048).fill(END);
  #lows = new Int32Array(2048);
  #highs = new Int32Array(2048);
  /** Hash table of nodes, 0 for empty slots; at least twice as many slots as nodes. */
  #places = new Int32Array(4096);
  /** Operation, operands and result of each cached operation. */
  #memory = new Int32Array(4 * 2048);

  and(a: Node, b: Node): Node {
    return this.#apply(AND, a, b);
  }

  or(a: Node, b: Node): Node {
    return this.#apply(OR, a, b);
  }

  xor(a: Node, b: Node): Node {
    return this.#apply(XOR, a, b);
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
    if (2 * this.#count >= this.#places.length) this.#grow();
    const place = this.#placeOf(variable, low, high);
    const known = this.#places[place] as Node;
    if (known !== 0) return known;
    const node = this.#count++;
    this.#places[place] = node;
    this.#variables[node] = variable;
    this.#lows[node] = low;
    this.#highs[node] = high;
    return node;
  }

  /** The slot of a node with this content, or the slot in which to insert it. */
  #placeOf(variable: number, low: Node, high: Node): number {
    const last = this.#places.length - 1;
    for (let place = mixed(variable, low, high) & last; ; place = (place + 1) & last) {
      const node = this.#places[place] as Node;
      if (node === 0 || (this.#variables[node] === variable && this.#lows[node] === low && this.#highs[node] === high)) return place;
    }
  }

  #grow(): void {
    const doubled = (old: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
      const more = new Int32Array(2 * old.length);
      more.set(old);
      return more;
    };
    this.#variables = doubled(this.#variables);
    this.#lows = doubled(this.#lows);
    this.#highs = doubled(this.#highs);
    this.#places = new Int32Array(2 * this.#places.length);
    if (this.#memory.length < 4 * MEMORY) this.#memory = new Int32Array(2 * this.#memory.length);
    for (let node = 2; node < this.#count; node++) {
      const place = this.#placeOf(this.#variables[node] as number, this.#lows[node] as Node, this.#highs[node] as Node);
      this.#places[place] = node;
    }
  }

  #apply(operation: Operation, one: Node, other: Node): Node {
    const ended = endOf(operation, one, other);
    if (ended !== undefined) return ended;
    const [a, b] = one < other ? [one, other] : [other, one];
    const memory = this.#memory;
    const at = 4 * (mixed(operation, a, b) & (memory.length / 4 - 1));
    if (memory[at] === operation && memory[at + 1] === a && memory[at + 2] === b) return memory[at + 3] as Node;
    const [ofA, ofB] = [this.#variables[a] as number, this.#variables[b] as number];
    const variable = Math.min(ofA, ofB);
    const low = this.#apply(operation, ofA === variable ? (this.#lows[a] as Node) : a, ofB === variable ? (this.#lows[b] as Node) : b);
    const high = this.#apply(operation, ofA === variable ? (this.#highs[a] as Node) : a, ofB === variable ? (this.#highs[b] as Node) : b);
    const node = this.#node(variable, low, high);
    memory.set([operation, a, b, node], at);
    return node;
  }
}

/** If the operands alone determine the result. */
function endOf(operation: Operation, a: Node, b: Node): Node | undefined {
  if (a === b) return operation === XOR ? FALSE : a;
  if (operation === XOR) return a === FALSE ? b : b === FALSE ? a : undefined;
  const [stays, ends] = operation === AND ? [TRUE, FALSE] : [FALSE, TRUE];
  if (a === ends || b === ends) return ends;
  return a === stays ? b : b === stays ? a : undefined;
}

function mixed(a: number, b: number, c: number): number {
  let value = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
