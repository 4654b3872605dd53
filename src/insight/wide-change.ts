import { Conjunctions } from "./conjunctions.js";
import type { Effort } from "./effort.js";
import { RankSets } from "./rank-sets.js";
import { type Box, PLACE } from "./space.js";
import { type Cover, uncovered } from "./uncovered.js";
import type { Side, View } from "./verdict-changes.js";

/** Steps for one claim about a wide change. */
const CLAIM = 200_000;
/** Pairs of zones that are asked about one by one. */
const MOST_PAIRS = 20_000;

/**
 * A changed piece whose effect is too much to cut into boxes. The flows are exactly those in `within` that `rule` decides on
 * the piece's side and one of `counterparts` on the other, but for what that one has `elsewhere`.
 */
export interface WideChange {
  readonly kind: "wide";
  readonly side: Side;
  readonly rule: number;
  readonly within: Box;
  /** Rules of another verdict that decide something of it on the other side, each asked by itself. */
  readonly counterparts: readonly number[];
  /** What other changes tell of counterparts already: left out of this one. */
  readonly elsewhere: readonly { readonly at: number; readonly boxes: readonly Box[] }[];
  /** How many rules of the same verdict decide something of it there: the holes. */
  readonly holes: number;
  /** Pairs of zones in which something changed, a set of ranks; `ofPairs` is how many pairs the piece has. */
  readonly pairs: number;
  readonly ofPairs: number;
  /** Flows that changed, under the fewest conditions that were met. */
  readonly example: Box;
  /** Claims that ran out of effort: counterparts that may decide nothing, and pairs that may have changed. */
  readonly undecided: number;
}

/** `none`: every claim that something changes was refuted. `undecided`: none was proven, and one was not refuted. */
export function wideChange(view: View, at: number, piece: Box, effort: Effort): WideChange | "none" | "undecided" {
  const asked = new Claims(view, at, piece, effort);
  const verdict = view.own.rules[at]?.rule.verdict;
  const others = [...new Set(view.other.index.meeting(piece).map((each) => each.at))];
  const differs = (place: number): boolean => view.other.rules[place]?.rule.verdict !== verdict;
  const counterparts = others.filter(differs).filter((place) => asked.decides(place, piece, true));
  const { example } = asked;
  if (example === undefined) return asked.undecided === 0 ? "none" : "undecided";
  const holes = others.filter((place) => !differs(place) && asked.decides(place, piece, false)).length;
  asked.askPairs(counterparts);
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
    holes,
    pairs: asked.pairs,
    ofPairs: asked.zones.count(piece[PLACE.zones] as number),
    example,
    undecided: asked.undecided,
  };
}

/** Claims about one piece, and what was learnt from those that held. */
class Claims {
  readonly zones: RankSets;
  pairs: number = RankSets.NONE;
  example: Box | undefined;
  undecided = 0;
  readonly #view: View;
  readonly #at: number;
  readonly #piece: Box;
  readonly #effort: Effort;

  constructor(view: View, at: number, piece: Box, effort: Effort) {
    this.zones = view.space.axis("zones");
    this.#view = view;
    this.#at = at;
    this.#piece = piece;
    this.#effort = effort;
  }

  /** True where the other version's rule at `place` decides flows of `within` that the changed rule decides; where that is undecided, too. */
  decides(place: number, within: Box, changed: boolean): boolean {
    const covers = (this.#view.other.rules[place]?.boxes ?? []).flatMap((box) => this.#cover(place, box, within));
    const found = covers.find((cover) => cover.state === "uncovered");
    if (found !== undefined && changed) this.#note(found.witness);
    const open = found === undefined && covers.some(({ state }) => state === "undecided");
    if (open) this.undecided++;
    return found !== undefined || open;
  }

  /** Asks for each pair of zones in which no change was met yet. */
  askPairs(counterparts: readonly number[]): void {
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

  #cover(place: number, box: Box, within: Box): readonly Cover[] {
    const { space, own, other, reported } = this.#view;
    const flows = space.and(box, within);
    if (flows === undefined) return [];
    const above = [...own.index.meeting(flows, this.#at), ...other.index.meeting(flows, place)].map((piece) => piece.box);
    return [uncovered(space, flows, [...above, ...(reported.get(place) ?? [])], this.#effort.share(CLAIM))];
  }

  #note(witness: Box): void {
    this.pairs = this.zones.or(this.pairs, witness[PLACE.zones] as number);
    const conditions = (box: Box): number => this.#view.space.conditions.literals(box[PLACE.condition] ?? Conjunctions.TRUE).length;
    if (this.example === undefined || conditions(witness) < conditions(this.example)) this.example = witness;
  }
}
