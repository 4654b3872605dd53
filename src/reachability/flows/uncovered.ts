import type { Budget } from "./budget.js";
import { Conjunctions, opposite } from "./conjunctions.js";
import { AXES, type Box, PLACE, type Space } from "./space.js";

/** Number of random flows to try before a search. */
const TRIES = 24;

/** A box with flows outside of all boxes, "covered" if there are no such flows, or "undecided" if the effort ran out. */
export type Cover =
  | { readonly state: "uncovered"; readonly witness: Box }
  | { readonly state: "covered" }
  | { readonly state: "undecided" };

const COVERED: Cover = { state: "covered" };
const UNDECIDED: Cover = { state: "undecided" };

/** Searches for flows of `box` outside of all `boxes`. */
export function uncovered(space: Space, box: Box, boxes: readonly Box[], effort: Budget): Cover {
  const meeting = boxes.filter((each) => space.meets(box, each));
  if (!effort.spend(boxes.length)) return UNDECIDED;
  if (meeting.some((each) => space.within(box, each))) return COVERED;
  // Reserves half of the effort for the search. Two boxes among ten thousand may cover the box, which random flows cannot show.
  const reserve = effort.left / 2;
  for (let tries = 0; tries < TRIES && meeting.length > 1 && effort.left > reserve; tries++) {
    if (!effort.spend(meeting.length)) return UNDECIDED;
    const witness = randomFlow(space, box, meeting, effort);
    if (witness !== undefined) return { state: "uncovered", witness };
  }
  return search(space, box, meeting, effort);
}

function search(space: Space, searched: Box, boxes: readonly Box[], effort: Budget): Cover {
  let left = searched;
  let open = boxes;
  for (let shrunk = true; shrunk; ) {
    shrunk = false;
    if (!effort.spend(open.length)) return UNDECIDED;
    const still: Box[] = [];
    for (const each of open) {
      if (!space.meets(left, each)) continue;
      const failing = space.failing(left, each, 1);
      if (failing === 0) return COVERED;
      if (failing > 1) still.push(each);
      else {
        left = space.minus(left, each)[0] as Box;
        shrunk = true;
      }
    }
    open = still;
  }
  if (open.length === 0) return { state: "uncovered", witness: left };
  return branch(space, left, open, effort);
}

/** Branches on the box that leaves the fewest parts. The narrowest part comes first, because it meets the fewest boxes. */
function branch(space: Space, box: Box, boxes: readonly Box[], effort: Budget): Cover {
  const counts = boxes.map((each) => space.failing(box, each, Number.POSITIVE_INFINITY));
  const at = counts.indexOf(Math.min(...counts));
  const others = boxes.filter((_, place) => place !== at);
  for (const part of space.minus(box, boxes[at] as Box).toReversed()) {
    const cover = search(space, part, others, effort);
    if (cover.state !== "covered") return cover;
  }
  return COVERED;
}

/**
 * Returns a random flow of `box`, under conditions that exclude it from all `boxes`. Returns undefined if one of the boxes contains it in
 * every case.
 */
function randomFlow(space: Space, box: Box, boxes: readonly Box[], effort: Budget): Box | undefined {
  const ranks = AXES.map((_, place) => {
    const [sets, set] = [space.axes[place], box[place] as number];
    return sets?.nth(set, effort.random(sets.count(set))) ?? 0;
  });
  const literals = [...space.conditions.literals(box[PLACE.condition] as number)];
  for (const each of boxes) {
    if (!ranks.every((rank, place) => space.axes[place]?.has(each[place] as number, rank))) continue;
    const needed = space.conditions.literals(each[PLACE.condition] as number);
    if (needed.some((literal) => literals.includes(opposite(literal)))) continue;
    const open = needed.find((literal) => !literals.includes(literal));
    if (open === undefined) return undefined;
    literals.push(opposite(open));
  }
  const condition = space.conditions.of(literals);
  if (condition === Conjunctions.NEVER) return undefined;
  return [...ranks.map((rank, place) => space.axes[place]?.of([[rank, rank + 1]]) ?? 0), condition];
}
