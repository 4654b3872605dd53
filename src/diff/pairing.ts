import type { DesiredNode } from "../desired/model.js";
import type { TreeNode } from "../tree/node.js";

/** Children of one live node by key: entries by name, others by tag. */
export class LiveChildren {
  /** Positions in `children` of nodes that no desired node claimed, ascending, once pairing is over. */
  readonly #children: readonly TreeNode[];
  readonly #positions = new Map<string, number>();
  readonly #claimed: Uint8Array;
  /** Positions of further nodes on one key. */
  readonly duplicates: number[] = [];
  /** The same by key, with how many of them were tried. */
  readonly #twins = new Map<string, { readonly positions: number[]; tried: number }>();

  /** Children before `from` are paired already. */
  constructor(children: readonly TreeNode[], from: number) {
    this.#children = children;
    this.#claimed = new Uint8Array(children.length).fill(1, 0, from);
    for (let position = 0; position < children.length; position += 1) {
      const child = children[position];
      if (child === undefined) continue;
      const key = keyOf(child);
      if (this.#positions.has(key)) this.#addTwin(key, position);
      else this.#positions.set(key, position);
    }
  }

  #addTwin(key: string, position: number): void {
    this.duplicates.push(position);
    const twins = this.#twins.get(key);
    if (twins === undefined) this.#twins.set(key, { positions: [position], tried: 0 });
    else twins.positions.push(position);
  }

  /**
   * Position of the node with the key of `like`, which nobody else gets then; -1 for none. Desired state that holds a
   * key twice (`$xml` can) gets the live ones in their order.
   */
  claim(like: DesiredNode): number {
    const key = keyOf(like);
    const first = this.#take(key);
    const twins = this.#twins.get(key);
    if (first !== -1 || twins === undefined) return first;
    for (; twins.tried < twins.positions.length; twins.tried += 1) {
      const position = twins.positions[twins.tried] as number;
      if (this.#claimed[position] === 1) continue;
      this.#claimed[position] = 1;
      return position;
    }
    return -1;
  }

  /** As `claim`, under a former name. */
  claimName(name: string, tag: string): number {
    return this.#take(nameKey(name, tag));
  }

  #take(key: string): number {
    const position = this.#positions.get(key);
    if (position === undefined || this.#claimed[position] === 1) return -1;
    this.#claimed[position] = 1;
    return position;
  }

  isClaimed(position: number): boolean {
    return this.#claimed[position] === 1;
  }

  /** True where the first node on this key was claimed. */
  isKeyClaimed(node: TreeNode): boolean {
    return this.#claimed[this.#positions.get(keyOf(node)) ?? 0] === 1;
  }

  get length(): number {
    return this.#children.length;
  }
}

export function sameKey(a: TreeNode, b: TreeNode): boolean {
  return a.tag === b.tag && a.name === b.name;
}

function keyOf(node: TreeNode): string {
  return node.name === undefined ? `\u0000${node.tag}` : nameKey(node.name, node.tag);
}

function nameKey(name: string, tag: string): string {
  return tag === "entry" ? name : `${tag}\u0000${name}`;
}
