import { Conjunctions, opposite } from "./conjunctions.js";
import { RankSets } from "./rank-sets.js";

/** Axes of a box in the order in which differences are split. Addresses come last, so that they stay together. */
export const AXES = ["zones", "service", "application", "user", "sourcePort", "source", "destination"] as const;
export type Axis = (typeof AXES)[number];

/** Places of a box: one for each axis, and the last for its condition. */
export const PLACE = { zones: 0, service: 1, application: 2, user: 3, sourcePort: 4, source: 5, destination: 6, condition: 7 } as const;
const CONDITION = PLACE.condition;
/** Cheap axes that often distinguish two boxes come first. Sets of addresses are long. */
const BY_COST = [PLACE.zones, PLACE.service, PLACE.application, PLACE.user, PLACE.sourcePort, PLACE.destination, PLACE.source];

/**
 * A product of one set on each axis, under a condition. It contains ids of `RankSets` at the places of the axes, and an id of
 * `Conjunctions` at the last. A box is never empty: no set is empty, and the condition can hold.
 */
export type Box = readonly number[];

/** Axes and conditions of the compared policies, with operations on boxes. */
export class Space {
  readonly axes: readonly RankSets[];
  readonly conditions: Conjunctions;
  readonly everything: Box = [...AXES.map(() => RankSets.ALL), Conjunctions.TRUE];

  constructor(sizes: Readonly<Record<Axis, number>>, conditions: Conjunctions) {
    this.axes = AXES.map((axis) => new RankSets(sizes[axis]));
    this.conditions = conditions;
  }

  axis(axis: Axis): RankSets {
    return this.axes[PLACE[axis]] as RankSets;
  }

  meets(a: Box, b: Box): boolean {
    for (const place of BY_COST) {
      const [one, other] = [a[place] as number, b[place] as number];
      if (one !== other && one !== RankSets.ALL && other !== RankSets.ALL && !(this.axes[place] as RankSets).meets(one, other))
        return false;
    }
    return this.conditions.and(a[CONDITION] as number, b[CONDITION] as number) !== Conjunctions.NEVER;
  }

  /** Returns the intersection; undefined if it is empty. */
  and(a: Box, b: Box): Box | undefined {
    if (!this.meets(a, b)) return undefined;
    const both = this.axes.map((sets, place) => sets.and(a[place] as number, b[place] as number));
    both.push(this.conditions.and(a[CONDITION] as number, b[CONDITION] as number));
    return both;
  }

  /** Returns whether `b` contains `a`. */
  within(a: Box, b: Box): boolean {
    return this.failing(a, b, 0) === 0;
  }

  /**
   * Returns the number of places at which `a` exceeds `b`. Each literal of `b` that `a` lacks counts separately. Counting stops above
   * `most`.
   */
  failing(a: Box, b: Box, most: number): number {
    let count = 0;
    for (const place of BY_COST) {
      if (!(this.axes[place] as RankSets).within(a[place] as number, b[place] as number) && ++count > most) return count;
    }
    return this.conditions.implies(a[CONDITION] as number, b[CONDITION] as number) ? count : count + this.#missing(a, b).length;
  }

  /** Returns `a` minus `b` as disjoint boxes: at most one for each axis and literal. */
  minus(a: Box, b: Box): readonly Box[] {
    if (!this.meets(a, b)) return [a];
    const parts: Box[] = [];
    let left = a;
    const addresses = PLACE.source;
    const cut = (place: number): void => {
      const sets = this.axes[place] as RankSets;
      const [mine, theirs] = [left[place] as number, b[place] as number];
      const beyond = sets.minus(mine, theirs);
      if (beyond === RankSets.NONE) return;
      parts.push(left.with(place, beyond));
      left = left.with(place, sets.and(mine, theirs));
    };
    for (let place = 0; place < addresses; place++) cut(place);
    for (const literal of this.#missing(a, b)) {
      parts.push(left.with(CONDITION, this.#add(left, opposite(literal))));
      left = left.with(CONDITION, this.#add(left, literal));
    }
    for (let place = addresses; place < CONDITION; place++) cut(place);
    return parts;
  }

  minusAll(boxes: readonly Box[], taken: readonly Box[]): readonly Box[] {
    return taken.reduce<readonly Box[]>((left, each) => (left.length === 0 ? left : left.flatMap((box) => this.minus(box, each))), boxes);
  }

  /** Returns disjoint boxes with the same flows. */
  disjoint(boxes: readonly Box[]): readonly Box[] {
    return boxes.flatMap((box, at) => this.minusAll([box], boxes.slice(0, at)));
  }

  #missing(a: Box, b: Box): readonly number[] {
    const has = this.conditions.literals(a[CONDITION] as number);
    return this.conditions.literals(b[CONDITION] as number).filter((literal) => !has.includes(literal));
  }

  #add(box: Box, literal: number): number {
    return this.conditions.and(box[CONDITION] as number, this.conditions.of([literal]));
  }
}
