import { isCertain } from "./changed-pieces.js";
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
/** Conditions that are told of one change. */
const MOST_WAYS = 20;

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
  /** Conjunctions of which each flow that changed is under one; none where some changed whatever is not known. */
  readonly ways: readonly number[];
  /** True where flows may have changed under other conjunctions, or whatever is not known: what covers them hangs on conditions itself. */
  readonly hasOtherWays: boolean;
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
  if (asked.example === undefined) return asked.undecided === 0 ? "none" : "undecided";
  const holes = others.filter((place) => !differs(place) && asked.decides(place, piece, false)).length;
  asked.askPairs(counterparts);
  const ways = asked.ways();
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
    example: asked.example,
    ...ways,
    undecided: asked.undecided,
  };
}

const conditionOf = (box: Box): number => box[PLACE.condition] as number;

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
  /** Flows of the piece, by the rule that decides some of them on the other side, where that was not refuted. */
  readonly #open: { readonly place: number; readonly flows: Box }[] = [];

  constructor(view: View, at: number, piece: Box, effort: Effort) {
    this.zones = view.space.axis("zones");
    this.#view = view;
    this.#at = at;
    this.#piece = piece;
    this.#effort = effort;
  }

  /** True where the other version's rule at `place` decides flows of `within` that the changed rule decides; where that is undecided, too. */
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

  /**
   * Under which conjunctions flows changed. A flow is under that of the part that it lies in; where that is none, what is above decides, and
   * it is asked whether some flow has nothing above it whatever is not known: such a flow becomes the example.
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

  /** What decides before the changed rule and that of the other side, and what other changes tell. */
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
