import type { DesiredNode, Position } from "../desired/model.js";
import { type Arranged, arrange } from "./arrange.js";
import { longestIncreasing } from "./subsequence.js";

/** Entries of ours in one ordered list that one document placed, in declared order. */
export interface Block {
  readonly declared: readonly string[];
  readonly position?: Position | undefined;
  readonly contiguous?: boolean | undefined;
  /** Position in the source map of what places the block. */
  readonly origin: number;
}

type Problem = Exclude<Arranged, { readonly order: readonly string[] }>;

/** The order wanted of all entries, or why some blocks have no place. */
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
 * The blocks of an ordered list. Declared in one document it is one block, placed by the list's own handling. Of several
 * documents, the first entry of each block carries its position; a block beside an entry of ours is part of that entry's
 * block, in which it already stands at its place. Entries that are not ours, or not in `among`, are left out.
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
      const beside = "anchor" in begins && own.has(begins.anchor);
      waits = beside && begins.where === "before" && leadsTo(list, index, begins.anchor);
      if (!beside) {
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

/** True when the next entry behind `index` that begins a block is `anchor`: the block stands right before another's first entry. */
function leadsTo(list: DesiredNode, index: number, anchor: string): boolean {
  for (let at = index + 1; at < list.children.length; at += 1) {
    const child = list.children[at];
    if (child?.handling?.position !== undefined) return child.name === anchor;
  }
  return false;
}

/**
 * The order that an ordered list of several blocks shall have (docs/desired-state.md#order): each block goes by its own position as if
 * nobody else were ours, and what stands at the top comes before what stands at the bottom. Blocks beside foreign entries
 * are not bound to each other.
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

/** Takes out the fewest entries of either block so that all of `upper` stand above all of `lower`: they are placed anew. */
function withoutCrossing(live: readonly string[], upper: readonly string[], lower: readonly string[]): readonly string[] {
  const rank = new Map([...upper, ...lower].map((name, index) => [name, index]));
  const isForeign = (name: string): boolean => !rank.has(name);
  const above = live.findIndex(isForeign);
  const below = live.findLastIndex(isForeign);
  const mayStay = (name: string, at: number): boolean =>
    !isForeign(name) && (name !== upper[0] || above === -1 || at < above) && (name !== lower.at(-1) || at > below);
  const candidates = live.filter(mayStay);
  const kept = new Set(longestIncreasing(candidates.map((name) => rank.get(name) ?? 0)).map((index) => candidates[index]));
  return live.filter((name) => !rank.has(name) || kept.has(name));
}
