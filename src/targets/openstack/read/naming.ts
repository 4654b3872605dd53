import type { OwnerMark } from "../owner-marks.js";

/** An object before it is known what its entry is called. */
export interface Unnamed {
  readonly id: string;
  /** What the service calls it; need not be unique, and may be empty. */
  readonly name: string;
  readonly mark: OwnerMark | undefined;
}

export interface Called {
  readonly name: string;
  /** The name that it shares with others, where it does. */
  readonly shared: string | undefined;
}

/**
 * What the entries of one list are called, by id (ADR 11): marked objects by the key of their mark, others by their
 * name, those that share it `name~id`, those without one by their id.
 */
export function callObjects(objects: Iterable<Unnamed>): Map<string, Called> {
  const alike = new Map<string, Unnamed[]>();
  for (const object of objects) {
    const name = object.mark?.key ?? object.name;
    const base = name === "" ? object.id : name;
    const others = alike.get(base);
    if (others === undefined) alike.set(base, [object]);
    else others.push(object);
  }
  const called = new Map<string, Called>();
  for (const [base, group] of alike) {
    const marked = group.filter(({ mark }) => mark !== undefined);
    const chosen = marked.length === 1 ? marked[0] : group.length === 1 ? group[0] : undefined;
    for (const object of group) {
      const isChosen = object === chosen;
      called.set(object.id, { name: isChosen ? base : `${base}~${object.id.slice(0, 8)}`, shared: isChosen ? undefined : base });
    }
  }
  return called;
}
