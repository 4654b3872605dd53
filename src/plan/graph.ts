/** A graph of ordering constraints. Nodes are small integers. */
export class Graph {
  readonly #next: number[][];

  constructor(nodes: number) {
    this.#next = Array.from({ length: nodes }, () => []);
  }

  get size(): number {
    return this.#next.length;
  }

  /** Adds a node for a point in time that several nodes wait for. */
  addNode(): number {
    return this.#next.push([]) - 1;
  }

  /** Makes `first` precede `then`. */
  addEdge(first: number, then: number): void {
    this.#next[first]?.push(then);
  }

  next(node: number): readonly number[] {
    return this.#next[node] ?? [];
  }
}

/** Returns strongly connected components of two or more nodes, and nodes with an edge to themselves (Tarjan, without recursion). */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the steps of one known algorithm, kept together.
export function cyclesOf(graph: Graph): number[][] {
  const index = new Int32Array(graph.size).fill(-1);
  const low = new Int32Array(graph.size);
  const onStack = new Uint8Array(graph.size);
  const stack: number[] = [];
  const cycles: number[][] = [];
  let counter = 0;
  for (let root = 0; root < graph.size; root += 1) {
    if (index[root] !== -1) continue;
    const calls: { node: number; edge: number }[] = [{ node: root, edge: 0 }];
    for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
      const { node } = call;
      if (call.edge === 0) {
        index[node] = low[node] = counter;
        counter += 1;
        stack.push(node);
        onStack[node] = 1;
      }
      const then = graph.next(node)[call.edge];
      call.edge += 1;
      if (then !== undefined) {
        if (index[then] === -1) calls.push({ node: then, edge: 0 });
        else if (onStack[then] === 1) low[node] = Math.min(low[node] ?? 0, index[then] ?? 0);
        continue;
      }
      calls.pop();
      const caller = calls.at(-1)?.node;
      if (caller !== undefined) low[caller] = Math.min(low[caller] ?? 0, low[node] ?? 0);
      if (low[node] !== index[node]) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack[member] = 0;
      if (component.length > 1 || graph.next(node).includes(node)) cycles.push(component.sort((a, b) => a - b));
    }
  }
  return cycles;
}

/**
 * Returns all nodes, each after its predecessors. Among the possible next nodes, the smallest by `key` comes first. The graph must not have
 * a cycle.
 */
export function schedule(graph: Graph, key: (node: number) => readonly number[]): number[] {
  const waiting = new Int32Array(graph.size);
  for (let node = 0; node < graph.size; node += 1) for (const then of graph.next(node)) waiting[then] = (waiting[then] ?? 0) + 1;
  const heap = new Heap((a, b) => compareKeys(key(a), key(b)) || a - b);
  for (let node = 0; node < graph.size; node += 1) if (waiting[node] === 0) heap.push(node);
  const order: number[] = [];
  for (let node = heap.pop(); node !== undefined; node = heap.pop()) {
    order.push(node);
    for (const then of graph.next(node)) {
      waiting[then] = (waiting[then] ?? 0) - 1;
      if (waiting[then] === 0) heap.push(then);
    }
  }
  return order;
}

/** Returns for each node the length of the longest chain that leads to it. The graph must not have a cycle. */
export function depths(graph: Graph): Int32Array {
  const depth = new Int32Array(graph.size);
  for (const node of schedule(graph, () => []))
    for (const then of graph.next(node)) depth[then] = Math.max(depth[then] ?? 0, (depth[node] ?? 0) + 1);
  return depth;
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}

/** A binary heap, smallest first. */
class Heap {
  readonly #items: number[] = [];
  readonly #compare: (a: number, b: number) => number;

  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare;
  }

  push(item: number): void {
    const items = this.#items;
    items.push(item);
    for (let at = items.length - 1; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!this.#swapIfLess(at, above)) return;
      at = above;
    }
  }

  pop(): number | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    items[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = right < items.length && this.#less(right, left) ? right : left;
      if (child >= items.length || !this.#swapIfLess(child, at)) return top;
      at = child;
    }
  }

  #less(a: number, b: number): boolean {
    return this.#compare(this.#items[a] ?? 0, this.#items[b] ?? 0) < 0;
  }

  #swapIfLess(lower: number, upper: number): boolean {
    if (!this.#less(lower, upper)) return false;
    const items = this.#items;
    const kept = items[upper] ?? 0;
    items[upper] = items[lower] ?? 0;
    items[lower] = kept;
    return true;
  }
}
