import type { Budget } from "./budget.js";
import { isCertain } from "./changed-pieces.js";
import { Conjunctions } from "./conjunctions.js";
import { RankSets } from "./rank-sets.js";
import { type Box, PLACE } from "./space.js";
import { type Cover, uncovered } from "./uncovered.js";
import type { Side, View } from "./verdict-changes.js";

/** Steps for one claim about a wide change. */
const CLAIM = 200_000;
/** Maximum number of zone pairs that are checked individually. */
const MOST_PAIRS = 20_000;
/** Maximum number of reported conditions per change. */
const MOST_WAYS = 20;

/**
 * A changed piece whose effect needs too many boxes. The flows are exactly those in `within` that `rule` decides on the piece's side and
 * one of `counterparts` decides on the other side, except for `elsewhere`.
 */
export interface WideChange {
  readonly kind: "wide";
  readonly side: Side;
  readonly rule: number;
  readonly within: Box;
  /** Rules with another verdict that decide parts of it on the other side. Each is checked individually. */
  readonly counterparts: readonly number[];
  /** Flows of counterparts that other changes already report. They are excluded from this change. */
  readonly elsewhere: readonly { readonly at: number; readonly boxes: readonly Box[] }[];
  /** The exact flows: the first of these boxes that contains a flow of `within` decides whether it changes. No box: it does not. */
  readonly steps: readonly WideStep[];
  /** Number of holes: rules with the same verdict that decide parts of it on the other side. */
  readonly holes: number;
  /** Pairs of zones with changes, as a set of ranks. `ofPairs` is the number of pairs of the piece. */
  readonly pairs: number;
  readonly ofPairs: number;
  /** Some changed flows, with the fewest conditions that were found. */
  readonly example: Box;
  /** Conjunctions such that each changed flow is under one of them. Empty if some flows certainly changed. */
  readonly ways: readonly number[];
  /** True if flows may also have changed under other conjunctions or without any, because the rules above them are conditional. */
  readonly hasOtherWays: boolean;
  /** Number of claims that ran out of effort: counterparts that may decide no flow, and pairs that may have changed. */
  readonly undecided: number;
}

interface WideStep {
  readonly changes: boolean;
  readonly box: Box;
}

/** `none`: every claim of a change was refuted. `undecided`: no claim was proven, and at least one was not refuted. */
export function wideChange(view: View, at: number, piece: Box, effort: Budget): WideChange | "none" | "undecided" {
  const claims = new Claims(view, at, piece, effort);
  const verdict = view.own.rules[at]?.rule.verdict;
  const others = [...new Set(view.other.index.meeting(piece).map((each) => each.at))];
  const differs = (place: number): boolean => view.other.rules[place]?.rule.verdict !== verdict;
  const counterparts = others.filter(differs).filter((place) => claims.decides(place, piece, true));
  if (claims.example === undefined) return claims.undecided === 0 ? "none" : "undecided";
  const holes = others.filter((place) => !differs(place) && claims.decides(place, piece, false)).length;
  claims.decidePairs(counterparts);
  const ways = claims.ways();
  return {
    kind: "wide",
    side: view.side,
    rule: at,
    within: piece,
    counterparts,
    elsewhere: counterparts.flatMap((place) => {
      const boxes = view.reported.get(place)?.filter((box) => view.space.meets(box, piece)) ?? [];
      return boxes.length === 0 ? [] : [{ at: place, boxes }];
    }),
    steps: stepsOf(view, at, piece),
    holes,
    pairs: claims.pairs,
    ofPairs: claims.zones.count(piece[PLACE.zones] as number),
    example: claims.example,
    ...ways,
    undecided: claims.undecided,
  };
}

/** Returns the rules above the piece, and then the rules of the other version. Their number is linear, unlike that of the exact boxes. */
function stepsOf({ space, own, other, reported }: View, at: number, piece: Box): readonly WideStep[] {
  const verdict = own.rules[at]?.rule.verdict;
  const within = (boxes: readonly Box[], changes: boolean): WideStep[] =>
    boxes.flatMap((each) => {
      const box = space.and(each, piece);
      return box === undefined ? [] : [{ changes, box }];
    });
  const above = own.index.meeting(piece, at).flatMap(({ box }) => within([box], false));
  const decided = other.index.meeting(piece).flatMap(({ at: place, box }) => {
    const changes = other.rules[place]?.rule.verdict !== verdict;
    return [...(changes ? within(reported.get(place) ?? [], false) : []), ...within([box], changes)];
  });
  const all = [...above, ...decided];
  return all.slice(0, all.findLastIndex(({ changes }) => changes) + 1);
}

const conditionOf = (box: Box): number => box[PLACE.condition] as number;

/** Claims about one piece, and results from the proven ones. */
class Claims {
  readonly zones: RankSets;
  pairs: number = RankSets.NONE;
  example: Box | undefined;
  undecided = 0;
  readonly #view: View;
  readonly #at: number;
  readonly #piece: Box;
  readonly #effort: Budget;
  /** Flows of the piece, by the rule that may decide some of them on the other side. */
  readonly #open: { readonly place: number; readonly flows: Box }[] = [];

  constructor(view: View, at: number, piece: Box, effort: Budget) {
    this.zones = view.space.axis("zones");
    this.#view = view;
    this.#at = at;
    this.#piece = piece;
    this.#effort = effort;
  }

  /**
   * Returns whether the other version's rule at `place` decides flows of `within` that the changed rule decides. Returns true for undecided
   * results, too.
   */
  decides(place: number, within: Box, changed: boolean): boolean {
    const { space, other } = this.#view;
    const parts = (other.rules[place]?.boxes ?? []).map((box) => space.and(box, within)).filter((box) => box !== undefined);
    const covers = parts.map((flows) => this.#cover(flows, this.#above(place, flows)));
    const found = covers.find((cover) => cover.state === "uncovered");
    if (found !== undefined && changed) this.#note(found.witness);
    if (changed && within === this.#piece)
      this.#open.push(...parts.filter((_, part) => covers[part]?.state !== "covered").map((flows) => ({ place, flows })));
    const open = found === undefined && covers.some(({ state }) => state === "undecided");
    if (open) this.undecided++;
    return found !== undefined || open;
  }

  /** Checks each pair of zones in which no change was found yet. */
  decidePairs(counterparts: readonly number[]): void {
    const open = this.zones.minus(this.#piece[PLACE.zones] as number, this.pairs);
    if (this.zones.count(open) > MOST_PAIRS) {
      this.undecided++;
      return;
    }
    for (const [from, to] of this.zones.ranges(open))
      for (let pair = from; pair < to; pair++) {
        const within = this.#piece.with(PLACE.zones, this.zones.of([[pair, pair + 1]]));
        counterparts.findLast((place) => this.decides(place, within, true));
      }
  }

  /**
   * Returns the conjunctions under which flows changed. A flow has the condition of its part. If a part has no condition, the conditions
   * depend on the rules above. Then this searches for a flow that no rule above matches in any case. Such a flow becomes the example.
   */
  ways(): Pick<WideChange, "ways" | "hasOtherWays"> {
    const none = { ways: [], hasOtherWays: false };
    const { example } = this;
    if (example === undefined || isCertain(example)) return none;
    for (const { place, flows } of this.#open.filter((each) => isCertain(each.flows))) {
      const above = this.#above(place, flows).map((box) => box.with(PLACE.condition, Conjunctions.TRUE));
      const cover = this.#cover(flows, above);
      if (cover.state !== "uncovered") continue;
      this.example = cover.witness;
      return none;
    }
    const parts = this.#open.map(({ flows }) => flows);
    const hasOtherWays = parts.some(isCertain);
    const met = [...new Set((hasOtherWays ? [example, ...parts] : parts).map(conditionOf))].filter((way) => way !== Conjunctions.TRUE);
    return { ways: met.slice(0, MOST_WAYS), hasOtherWays: hasOtherWays || met.length > MOST_WAYS };
  }

  /** Returns the pieces that come before both rules, and the flows that other changes report. */
  #above(place: number, flows: Box): Box[] {
    const { own, other, reported } = this.#view;
    const above = [...own.index.meeting(flows, this.#at), ...other.index.meeting(flows, place)].map((piece) => piece.box);
    return [...above, ...(reported.get(place) ?? [])];
  }

  #cover(flows: Box, above: readonly Box[]): Cover {
    return uncovered(this.#view.space, flows, above, this.#effort.share(CLAIM));
  }

  #note(witness: Box): void {
    this.pairs = this.zones.or(this.pairs, witness[PLACE.zones] as number);
    const conditions = (box: Box): number => this.#view.space.conditions.literals(box[PLACE.condition] ?? Conjunctions.TRUE).length;
    if (this.example === undefined || conditions(witness) < conditions(this.example)) this.example = witness;
  }
}
