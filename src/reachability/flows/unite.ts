import { groupBy } from "../../core/group-by.js";
import { opposite } from "./conjunctions.js";
import { AXES, type Box, PLACE, type Space } from "./space.js";

/** Returns the same flows in fewer boxes. Merges boxes that differ on one axis only, and `x and s` with `x and not s`. */
export function unite(space: Space, boxes: readonly Box[]): readonly Box[] {
  let [united, count] = [boxes, Number.POSITIVE_INFINITY];
  while (united.length < count) {
    count = united.length;
    for (const place of AXES.keys()) united = onAxis(space, united, place);
    united = onConditions(space, united);
  }
  return united;
}

function onAxis(space: Space, boxes: readonly Box[], place: number): readonly Box[] {
  const groups = groupBy(boxes, (box) => box.with(place, 0).join());
  return [...groups.values()].map((group) => {
    const [first] = group as [Box];
    const sets = group.map((box) => box[place] as number);
    return first.with(
      place,
      sets.reduce((all, set) => space.axes[place]?.or(all, set) ?? all),
    );
  });
}

function onConditions(space: Space, boxes: readonly Box[]): readonly Box[] {
  const groups = groupBy(boxes, (box) => box.with(PLACE.condition, 0).join());
  return [...groups.values()].flatMap((group) => {
    const [first] = group as [Box];
    const conditions = withoutOpposites(
      space,
      group.map((box) => box[PLACE.condition] as number),
    );
    return conditions.map((condition) => first.with(PLACE.condition, condition));
  });
}

function withoutOpposites(space: Space, conditions: readonly number[]): readonly number[] {
  const left = new Set(conditions);
  for (const condition of left) {
    const literals = space.conditions.literals(condition);
    const needless = literals.find((literal) => left.has(replaced(space, literals, literal, [opposite(literal)])));
    if (needless === undefined) continue;
    left.delete(condition);
    left.delete(replaced(space, literals, needless, [opposite(needless)]));
    left.add(replaced(space, literals, needless, []));
  }
  return [...left];
}

function replaced(space: Space, literals: readonly number[], literal: number, by: readonly number[]): number {
  return space.conditions.of([...literals.filter((each) => each !== literal), ...by]);
}
