import { PlumblineError, type Where } from "../core/errors.js";
import type { DesiredNode, Position } from "./model.js";
import type { Problems } from "./problems.js";

/**
 * Orders the fragments of one ordered list from several documents. File names never matter: each fragment needs a distinct `$position`. The
 * first entry of each block then has the position of the block. Blocks at the top come first, blocks at the bottom last, and blocks with an
 * anchor next to their anchor entry.
 */
export function mergeBlocks(
  fragments: readonly DesiredNode[],
  where: (origin: number) => Where,
  problems: Problems,
): { readonly entries: readonly DesiredNode[]; readonly split: boolean } {
  const blocks = fragments.filter((fragment) => fragment.declared && fragment.children.length > 0);
  const others = fragments.filter((fragment) => !fragment.declared).flatMap((fragment) => fragment.children);
  if (blocks.length < 2) return { entries: [...blocks.flatMap((block) => block.children), ...others], split: false };
  const reported = new Set<string>();
  for (const block of blocks) {
    const position = block.handling?.position;
    if (position === undefined) {
      problems.error(
        new PlumblineError(
          "ordered-list-split",
          `The ordered list "${block.tag}" is declared in several documents, and here it has no $position.`,
          {
            where: where(block.origin),
            next: "Declare it in one document, or write $position next to $entries in every one.",
          },
        ),
      );
      continue;
    }
    const key = JSON.stringify(position);
    if (reported.has(key))
      problems.error(
        new PlumblineError("position-conflict", "Two documents place their block of one ordered list at the same spot.", {
          where: where(block.origin),
          next: "Place one of them next to an entry of the other.",
        }),
      );
    reported.add(key);
  }
  return { entries: [...arrange(blocks, where, problems), ...others], split: true };
}

/** Moves the position of a block from its list to its first entry. */
function markBlock(block: DesiredNode): readonly DesiredNode[] {
  const { position, contiguous } = block.handling ?? {};
  const first = block.children[0];
  if (first !== undefined && (position !== undefined || contiguous === true))
    first.handling = {
      ...first.handling,
      ...(position === undefined ? {} : { position }),
      ...(contiguous === true ? { contiguous } : {}),
    };
  return block.children;
}

function arrange(blocks: readonly DesiredNode[], where: (origin: number) => Where, problems: Problems): readonly DesiredNode[] {
  const homes = new Map<string, DesiredNode>();
  for (const block of blocks) for (const entry of block.children) homes.set(entry.name ?? "", block);
  const byAnchor = new Map<string, DesiredNode[]>();
  const free: DesiredNode[] = [];
  for (const block of blocks) {
    const anchor = anchorOf(block.handling?.position);
    if (anchor === undefined || !homes.has(anchor) || homes.get(anchor) === block) free.push(block);
    else byAnchor.set(anchor, [...(byAnchor.get(anchor) ?? []), block]);
  }
  const rank = (block: DesiredNode): number => {
    const where = block.handling?.position?.where;
    return where === "top" ? 0 : where === "bottom" ? 2 : 1;
  };
  const placed: DesiredNode[] = [];
  const done = new Set<DesiredNode>();
  const place = (block: DesiredNode): void => {
    if (done.has(block)) return;
    done.add(block);
    for (const entry of markBlock(block)) {
      const near = byAnchor.get(entry.name ?? "") ?? [];
      for (const other of near) if (other.handling?.position?.where === "before") place(other);
      placed.push(entry);
      for (const other of near) if (other.handling?.position?.where === "after") place(other);
    }
  };
  for (const block of [...free].sort((a, b) => rank(a) - rank(b))) place(block);
  const ring = blocks.find((block) => !done.has(block));
  if (ring !== undefined)
    problems.error(
      new PlumblineError("position-conflict", "Blocks of this ordered list refer to each other in a cycle, so no block has a place.", {
        where: where(ring.origin),
        next: "Place one of them at the top, at the bottom, or next to an entry that is not declared here.",
      }),
    );
  return placed;
}

function anchorOf(position: Position | undefined): string | undefined {
  return position !== undefined && "anchor" in position ? position.anchor : undefined;
}
