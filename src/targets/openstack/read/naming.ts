import type { OwnerMark } from "../owner-marks.js";

/** An object before it is known what its entry is called. */
export interface Unnamed {
  readonly id: string;
  /** What the service calls it; need not be unique, and may be empty. */
  readonly name: string;
  readonly mark: OwnerMark | undefined;
  readonly birth: Birth;
}

/** How an object came, as far as it tells. */
export interface Birth {
  /** By the service's clock, sortable as text; empty where it does not say. */
  readonly at: string;
  /** It still is as our create made it: nobody has finished it. */
  readonly isHalfMade: boolean;
  /** The run and account of which it was made, where it tells. */
  readonly maker: string | undefined;
}

export interface Called {
  readonly name: string;
  /** The name that it shares with others, where it does. */
  readonly shared: string | undefined;
  /** It carries the mark of one that is there already. */
  readonly twin: "half-made" | "whole" | undefined;
}

/**
 * What the entries of one list are called, by id (ADR 11): marked objects by the key of their mark, others by their
 * name, those that share it `name~id`, those without one by their id. Of several with one mark the elder has the name.
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
    const chosen = marked.length === 0 ? (group.length === 1 ? group[0] : undefined) : elderOf(marked);
    for (const object of group) {
      const isChosen = object === chosen;
      const name = isChosen ? base : `${base}~${object.id.slice(0, 8)}`;
      called.set(object.id, { name, shared: isChosen ? undefined : base, twin: isChosen ? undefined : twinOf(object, chosen) });
    }
  }
  return called;
}

/** The one that is finished before those that are not, then the oldest; undefined where owners differ. */
function elderOf(marked: readonly Unnamed[]): Unnamed | undefined {
  if (new Set(marked.map(({ mark }) => mark?.owner)).size > 1) return undefined;
  const age = ({ birth, id }: Unnamed): string => `${birth.isHalfMade ? 1 : 0} ${birth.at} ${id}`;
  return marked.reduce((elder, each) => (age(each) < age(elder) ? each : elder));
}

function twinOf({ mark, birth }: Unnamed, elder: Unnamed | undefined): Called["twin"] {
  if (mark === undefined || elder === undefined) return undefined;
  const isSameMaker = birth.maker !== undefined && birth.maker === elder.birth.maker;
  return birth.isHalfMade || isSameMaker ? "half-made" : "whole";
}
