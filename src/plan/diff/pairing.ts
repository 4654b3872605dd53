import type { TreeNode } from "../../core/tree/node.js";
import type { DesiredNode } from "../../desired/model.js";
import type { CrossedRenames } from "./crossed-renames.js";

/** Pairs of desired and live children of one node. */
export interface Pairing {
  /** Position in `found` of each wanted child's counterpart, or -1. */
  readonly positions: Int32Array;
  /** Positions in `found` without a wanted child, ascending. */
  readonly unclaimed: readonly number[];
  /** Unclaimed positions whose key another node has, too. */
  readonly duplicates: ReadonlySet<number>;
  /** Positions of entries paired by their former name. */
  readonly renamed: ReadonlySet<number>;
}

/** How many siblings ahead a child is searched before the rest is looked up by key. */
const REACH = 8;

/**
 * Pairs children by key: entries by name, others by tag. Runs in the same order are paired directly, skipping children that only one side
 * has. Only the rest goes into a map. Linear. The first `paired` children are already paired.
 */
export function pairChildren(wanted: readonly DesiredNode[], found: readonly TreeNode[], paired: number): Pairing {
  const positions = new Int32Array(wanted.length).fill(-1);
  for (let i = 0; i < paired; i += 1) positions[i] = i;
  const alone = pairInOrder(wanted, found, paired, positions);
  const renamed = new Set<number>();
  let unclaimed: readonly number[] = alone.found;
  if (alone.found.length > 0) {
    const byKey = new Keyed(found, alone.found);
    for (const i of alone.wanted) positions[i] = byKey.claim(keyOf(wanted[i] as DesiredNode));
    uncrossDuplicates(wanted, alone.wanted, positions);
    for (const i of alone.wanted) {
      const child = wanted[i] as DesiredNode;
      const was = child.handling?.was;
      if (was === undefined || positions[i] !== -1) continue;
      const position = byKey.claim(nameKey(was, child.tag));
      positions[i] = position;
      if (position !== -1) renamed.add(position);
    }
    unclaimed = alone.found.filter((position) => byKey.claimed[position] === 0);
  }
  return { positions, unclaimed, duplicates: duplicatesOf(wanted, found, unclaimed, positions), renamed };
}

/** Pairs children when some were already paired by names that other entries give up. */
export function pairCrossed(wanted: readonly DesiredNode[], found: readonly TreeNode[], crossed: CrossedRenames): Pairing {
  const taken = new Set(crossed.values());
  const wantedLeft = [...wanted.keys()].filter((index) => !crossed.has(index));
  const foundLeft = [...found.keys()].filter((position) => !taken.has(position));
  const left = pairChildren(
    wantedLeft.map((index) => wanted[index] as DesiredNode),
    foundLeft.map((position) => found[position] as TreeNode),
    0,
  );
  const there = (position: number): number => foundLeft[position] ?? -1;
  const positions = new Int32Array(wanted.length).fill(-1);
  for (const [i, index] of wantedLeft.entries()) positions[index] = there(left.positions[i] ?? -1);
  for (const [index, position] of crossed) positions[index] = position;
  return {
    positions,
    unclaimed: left.unclaimed.map(there),
    duplicates: new Set([...left.duplicates].map(there)),
    renamed: new Set([...[...left.renamed].map(there), ...taken]),
  };
}

/** Returns the names of entries of `found` that are not wanted. Of duplicates it may return a wanted name. Linear, like `pairChildren`. */
export function undeclaredEntries(wanted: readonly DesiredNode[], found: readonly TreeNode[]): string[] {
  const alone = pairInOrder(wanted, found, 0, new Int32Array(wanted.length));
  const names = (nodes: readonly TreeNode[], positions: readonly number[]): string[] =>
    positions.flatMap((position) => (nodes[position]?.tag === "entry" ? (nodes[position].name ?? []) : []));
  const declared = new Set(names(wanted, alone.wanted));
  return names(found, alone.found).filter((name) => !declared.has(name));
}

interface Alone {
  readonly wanted: number[];
  readonly found: number[];
}

function pairInOrder(wanted: readonly TreeNode[], found: readonly TreeNode[], from: number, positions: Int32Array): Alone {
  const alone: Alone = { wanted: [], found: [] };
  let i = from;
  let j = from;
  while (i < wanted.length && j < found.length) {
    const a = wanted[i] as TreeNode;
    const b = found[j] as TreeNode;
    if (sameKey(a, b)) {
      positions[i] = j;
      i += 1;
      j += 1;
      continue;
    }
    const ahead = reach(a, found, j + 1);
    const behind = reach(b, wanted, i + 1);
    if (ahead !== -1 && (behind === -1 || ahead - j <= behind - i)) for (; j < ahead; j += 1) alone.found.push(j);
    else if (behind !== -1) for (; i < behind; i += 1) alone.wanted.push(i);
    else {
      alone.wanted.push(i);
      alone.found.push(j);
      i += 1;
      j += 1;
    }
  }
  for (; i < wanted.length; i += 1) alone.wanted.push(i);
  for (; j < found.length; j += 1) alone.found.push(j);
  return alone;
}

function reach(node: TreeNode, nodes: readonly TreeNode[], from: number): number {
  const end = Math.min(nodes.length, from + REACH);
  for (let at = from; at < end; at += 1) if (sameKey(node, nodes[at] as TreeNode)) return at;
  return -1;
}

/** Positions by key. If desired state contains a key twice (`$xml` can), the live nodes are claimed in their order. */
class Keyed {
  /** By position: 1 if claimed. */
  readonly claimed: Uint8Array;
  readonly #byKey = new Map<string, number | Duplicates>();

  constructor(found: readonly TreeNode[], positions: readonly number[]) {
    this.claimed = new Uint8Array(found.length);
    for (const position of positions) {
      const key = keyOf(found[position] as TreeNode);
      const known = this.#byKey.get(key);
      if (known === undefined) this.#byKey.set(key, position);
      else if (typeof known === "number") this.#byKey.set(key, { positions: [known, position], taken: 0 });
      else known.positions.push(position);
    }
  }

  /** Claims the next free position of the key; returns -1 if there is none. */
  claim(key: string): number {
    const known = this.#byKey.get(key);
    if (known === undefined) return -1;
    const position = typeof known === "number" ? known : (known.positions[known.taken++] ?? -1);
    if (position === -1 || this.claimed[position] === 1) return -1;
    this.claimed[position] = 1;
    return position;
  }
}

/** Pairs siblings with the same key in order, even if one was paired directly and another by lookup. */
function uncrossDuplicates(wanted: readonly TreeNode[], found: readonly number[], positions: Int32Array): void {
  const crossing = found.filter((i) => positions[i] !== -1);
  if (crossing.length === 0 || haveNamesOfTheirOwn(wanted, crossing)) return;
  const groups = new Map<string, number[]>();
  for (const i of crossing) groups.set(keyOf(wanted[i] as TreeNode), []);
  for (let i = 0; i < wanted.length; i += 1) groups.get(keyOf(wanted[i] as TreeNode))?.push(i);
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const taken = group.map((i) => positions[i] as number).filter((position) => position !== -1);
    taken.sort((a, b) => a - b);
    for (const [order, i] of group.entries()) positions[i] = taken[order] ?? -1;
  }
}

/**
 * Returns whether no other wanted child has a name of those at `places`; then their pairs are already in order. Needs no list per name,
 * which would be slow for 100,000 entries.
 */
function haveNamesOfTheirOwn(all: readonly TreeNode[], places: readonly number[]): boolean {
  const names = new Set<string | undefined>();
  for (const place of places) names.add(all[place]?.name);
  let having = 0;
  for (const { name } of all) if (names.has(name)) having += 1;
  return having === places.length;
}

interface Duplicates {
  readonly positions: number[];
  taken: number;
}

/** Returns unclaimed nodes whose key belongs to a claimed node or to an earlier unclaimed one. */
function duplicatesOf(
  wanted: readonly TreeNode[],
  found: readonly TreeNode[],
  unclaimed: readonly number[],
  positions: Int32Array,
): ReadonlySet<number> {
  const duplicates = new Set<number>();
  if (unclaimed.length === 0) return duplicates;
  const byKey = new Map<string, number[]>();
  const names = new Set<string | undefined>();
  for (const position of unclaimed) {
    const node = found[position] as TreeNode;
    names.add(node.name);
    const key = keyOf(node);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [position]);
    else {
      known.push(position);
      duplicates.add(position);
    }
  }
  for (let i = 0; i < wanted.length; i += 1) {
    const node = wanted[i] as TreeNode;
    // Most names belong to no unclaimed node, so their keys need not be computed.
    if (positions[i] === -1 || !names.has(node.name)) continue;
    const sameKey = byKey.get(keyOf(node));
    if (sameKey !== undefined) for (const each of sameKey) duplicates.add(each);
  }
  return duplicates;
}

export function sameKey(a: TreeNode, b: TreeNode): boolean {
  return a.name === b.name && a.tag === b.tag;
}

function keyOf(node: TreeNode): string {
  return node.name === undefined ? `\u0000${node.tag}` : nameKey(node.name, node.tag);
}

function nameKey(name: string, tag: string): string {
  return tag === "entry" ? name : `${tag}\u0000${name}`;
}
