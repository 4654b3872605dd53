import type { OwnerMark } from "../owner-marks.js";

/** An object whose entry has no name yet. */
export interface Unnamed {
  readonly id: string;
  /** Name in the service. It may be empty and need not be unique. */
  readonly name: string;
  readonly mark: OwnerMark | undefined;
  readonly birth: Birth;
}

/** The origin of an object. */
export interface Birth {
  /** Creation time in the service's clock, sortable as text. Empty if unknown. */
  readonly at: string;
  /** Whether the create of the object was not completed. */
  readonly isHalfMade: boolean;
  /** Run and account that created it, if known. */
  readonly maker: { readonly run: string; readonly account: string } | undefined;
}

export interface Called {
  readonly name: string;
  /** The name, if other objects have it too. */
  readonly shared: string | undefined;
  /** Set if another object has the same mark. */
  readonly twin: "half-made" | "of-our-account" | "whole" | undefined;
  /** Whether it has an owner mark but its create was not completed. */
  readonly isHalfMade: boolean;
}

/**
 * Names the entries of one list by id (ADR 7): marked objects by the key of their mark, others by their name, duplicates as `name~id`, and
 * objects without a name by their id. If several objects have the same mark, the oldest gets the name; objects in `preferred` come first.
 */
export function callObjects(objects: Iterable<Unnamed>, preferred: ReadonlySet<string> = new Set()): Map<string, Called> {
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
    const chosen = marked.length === 0 ? (group.length === 1 ? group[0] : undefined) : elderOf(marked, preferred);
    for (const object of group) {
      const isChosen = object === chosen;
      const name = isChosen ? base : `${base}~${object.id.slice(0, 8)}`;
      const twin = isChosen ? undefined : twinOf(object, chosen);
      const isHalfMade = object.mark !== undefined && object.birth.isHalfMade;
      called.set(object.id, { name, shared: isChosen ? undefined : base, twin, isHalfMade });
    }
  }
  return called;
}

/** Returns the preferred object, then a completed one, then the oldest. Undefined if the owners differ. */
function elderOf(marked: readonly Unnamed[], preferred: ReadonlySet<string>): Unnamed | undefined {
  if (new Set(marked.map(({ mark }) => mark?.owner)).size > 1) return undefined;
  const age = ({ birth, id }: Unnamed): string => `${preferred.has(id) ? 0 : 1} ${birth.isHalfMade ? 1 : 0} ${birth.at} ${id}`;
  return marked.reduce((elder, each) => (age(each) < age(elder) ? each : elder));
}

function twinOf({ mark, birth }: Unnamed, elder: Unnamed | undefined): Called["twin"] {
  if (mark === undefined || elder === undefined) return undefined;
  const [ours, elders] = [birth.maker, elder.birth.maker];
  const isSameAccount = ours !== undefined && ours.account === elders?.account;
  if (birth.isHalfMade || (isSameAccount && ours.run === elders?.run)) return "half-made";
  return isSameAccount ? "of-our-account" : "whole";
}
