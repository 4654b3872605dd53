import type { DesiredNode, Position } from "../desired/model.js";
import { type Arranged, arrange } from "./arrange.js";
import { longestIncreasing } from "./subsequence.js";

/** Declared entries of one ordered list that one document places, in declared order. */
export interface Block {
  readonly declared: readonly string[];
  readonly position?: Position | undefined;
  readonly contiguous?: boolean | undefined;
  /** Position in the source map of the node that places the block. */
  readonly origin: number;
}

type Problem = Exclude<Arranged, { readonly order: readonly string[] }>;

/** The desired order of all entries, or the reasons why blocks have no place. */
export type ArrangedBlocks =
  | { readonly order: readonly string[] }
  | { readonly problems: readonly (Problem & { readonly block: Block })[] };

interface Draft {
  readonly declared: string[];
  position: Position | undefined;
  contiguous: boolean;
  readonly origin: number;
}

/**
 * Returns the blocks of an ordered list. A list from one document is one block, placed by the list's own handling. With several documents,
 * the first entry of each block carries its position. A block next to another declared entry belongs to the block of that entry, where it
 * already is in the right place. Undeclared entries and entries outside `among` are omitted.
 */
export function declaredBlocks(list: DesiredNode, among?: ReadonlySet<string>): Block[] {
  const { position, contiguous = false } = list.handling ?? {};
  const own = new Set(list.children.map((child) => child.name));
  const drafts: Draft[] = [];
  let waiting: string[] = [];
  let current: Draft | undefined;
  let waits = false;
  for (const [index, child] of list.children.entries()) {
    const { position: begins, contiguous: together = false } = child.handling ?? {};
    if (begins !== undefined) {
      const isOwnAnchor = "anchor" in begins && own.has(begins.anchor);
      waits = isOwnAnchor && begins.where === "before" && leadsTo(list, index, begins.anchor);
      if (!isOwnAnchor) {
        current = { declared: waiting, position: begins, contiguous: together, origin: child.origin };
        waiting = [];
        drafts.push(current);
      } else if (!waits && current !== undefined) {
        current.declared.push(...waiting);
        waiting = [];
      }
    }
    if (child.name === undefined || !child.declared || child.handling?.ignored === true || among?.has(child.name) === false) continue;
    if (waits) waiting.push(child.name);
    else {
      if (current === undefined) {
        current = { declared: waiting, position, contiguous, origin: list.origin };
        waiting = [];
        drafts.push(current);
      }
      current.declared.push(child.name);
    }
  }
  return drafts.filter(({ declared }) => declared.length > 0);
}

/** Returns whether the next block after `index` begins with `anchor`: the new block is directly before the first entry of another. */
function leadsTo(list: DesiredNode, index: number, anchor: string): boolean {
  for (let at = index + 1; at < list.children.length; at += 1) {
    const child = list.children[at];
    if (child?.handling?.position !== undefined) return child.name === anchor;
  }
  return false;
}

/**
 * Computes the desired order of a list with several blocks (docs/desired-state.md#order). Each block is placed by its own position, as if
 * all other entries were unmanaged. The block at the top precedes the block at the bottom. Blocks next to unmanaged entries are independent
 * of each other.
 */
export function arrangeBlocks(live: readonly string[], blocks: readonly Block[]): ArrangedBlocks {
  const [only] = blocks;
  if (only === undefined) return { order: live };
  if (blocks.length === 1) return withBlock(arrange({ ...only, live }), only);
  const top = blocks.find(({ position }) => position?.where === "top");
  const bottom = blocks.find(({ position }) => position?.where === "bottom");
  const others = blocks.filter((block) => block !== top && block !== bottom);
  const problems: (Problem & { readonly block: Block })[] = [];
  let order = top === undefined || bottom === undefined ? live : withoutCrossing(live, top.declared, bottom.declared);
  for (const block of [top, bottom, ...others]) {
    if (block === undefined) continue;
    const arranged = withBlock(arrange({ ...block, live: order }), block);
    if ("order" in arranged) order = arranged.order;
    else problems.push(...arranged.problems);
  }
  return problems.length === 0 ? { order } : { problems };
}

function withBlock(arranged: Arranged, block: Block): ArrangedBlocks {
  return "order" in arranged ? arranged : { problems: [{ ...arranged, block }] };
}

/** Removes the fewest entries of both blocks so that all of `upper` precede all of `lower`. The removed entries are placed again. */
function withoutCrossing(live: readonly string[], upper: readonly string[], lower: readonly string[]): readonly string[] {
  const rank = new Map([...upper, ...lower].map((name, index) => [name, index]));
  const isUnmanaged = (name: string): boolean => !rank.has(name);
  const above = live.findIndex(isUnmanaged);
  const below = live.findLastIndex(isUnmanaged);
  const mayStay = (name: string, at: number): boolean =>
    !isUnmanaged(name) && (name !== upper[0] || above === -1 || at < above) && (name !== lower.at(-1) || at > below);
  const candidates = live.filter(mayStay);
  const kept = new Set(longestIncreasing(candidates.map((name) => rank.get(name) ?? 0)).map((index) => candidates[index]));
  return live.filter((name) => !rank.has(name) || kept.has(name));
}
