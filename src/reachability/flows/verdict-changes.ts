import type { Budget } from "./budget.js";
import { type ChangedPieces, changedPieces } from "./changed-pieces.js";
import type { CompiledPolicy, Model } from "./compile.js";
import { decidedBy, without } from "./decide.js";
import { type Pair, pairRules } from "./pairing.js";
import type { Box, Space } from "./space.js";
import { type WideChange, wideChange } from "./wide-change.js";

/** The version that a changed piece belongs to. */
export type Side = "before" | "after";

/** Flows with a changed verdict, and the deciding rules of both versions. */
interface NarrowChange {
  readonly kind: "narrow";
  /** The version whose deciding rule was changed; `before` if both were. */
  readonly side: Side;
  readonly before: number;
  readonly after: number;
  readonly box: Box;
}

export type VerdictChange = NarrowChange | WideChange;

/** A piece of a changed rule that may contain changed verdicts. */
interface UndecidedPiece {
  readonly side: Side;
  readonly at: number;
  readonly piece: Box;
}

export interface VerdictChanges {
  readonly pairs: readonly Pair[];
  readonly changes: readonly VerdictChange[];
  readonly undecided: readonly UndecidedPiece[];
}

/** The two versions from the perspective of one. */
export interface View {
  readonly space: Space;
  readonly side: Side;
  /** The version of the changed piece, and the other version. */
  readonly own: CompiledPolicy;
  readonly other: CompiledPolicy;
  /** Pieces of the other side's rules that were already reported. */
  readonly reported: ReadonlyMap<number, readonly Box[]>;
}

/**
 * Returns every flow with different verdicts in two versions of a policy, each in one change. Only regions that changed pieces decide are
 * searched, first in the version before, then in the version after.
 */
export function verdictChanges({ space }: Model, before: CompiledPolicy, after: CompiledPolicy, effort: Budget): VerdictChanges {
  const pairs = pairRules(before.rules, after.rules);
  const pieces = changedPieces(space, before, after, pairs);
  const views: readonly View[] = [
    { space, side: "before", own: before, other: after, reported: new Map() },
    { space, side: "after", own: after, other: before, reported: pieces.before },
  ];
  const found = views.flatMap((view) => changesOf(view, pieces, effort));
  return {
    pairs,
    changes: found.filter((each) => each.kind !== "undecided"),
    undecided: found.filter((each) => each.kind === "undecided"),
  };
}

type Found = VerdictChange | ({ readonly kind: "undecided" } & UndecidedPiece);

function changesOf(view: View, pieces: ChangedPieces, effort: Budget): readonly Found[] {
  return [...pieces[view.side]].flatMap(([at, boxes]) => boxes.flatMap((piece) => changesIn(view, at, piece, effort)));
}

function changesIn(view: View, at: number, piece: Box, effort: Budget): readonly Found[] {
  const { space, side, own, other } = view;
  const verdict = own.rules[at]?.rule.verdict;
  const above = own.index.meeting(piece, at).map(({ box }) => box);
  const deciding = without(space, [piece], above, effort.share(PIECE));
  const parts =
    deciding &&
    decidedBy(space, deciding, other.index.meeting(piece), (each) => other.rules[each]?.rule.verdict !== verdict, effort.share(PIECE));
  const open = parts?.map((part) => ({
    ...part,
    boxes: without(space, [part.box], view.reported.get(part.at) ?? [], effort.share(PIECE)),
  }));
  if (open === undefined || open.some(({ boxes }) => boxes === undefined)) {
    const wide = effort.wholes ? wideChange(view, at, piece, effort) : "undecided";
    if (wide === "none") return [];
    return wide === "undecided" ? [{ kind: "undecided", side, at, piece }] : [wide];
  }
  return open.flatMap(({ at: decider, boxes = [] }) =>
    boxes.map((box) => ({
      kind: "narrow" as const,
      side,
      box,
      before: side === "before" ? at : decider,
      after: side === "before" ? decider : at,
    })),
  );
}

/** Steps for one changed piece. If they do not suffice, the piece is reported as a region with holes. */
const PIECE = 2_000_000;
