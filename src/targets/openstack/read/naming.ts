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
  readonly maker: { readonly run: string; readonly account: string } | undefined;
}

export interface Called {
  readonly name: string;
  /** The name that it shares with others, where it does. */
  readonly shared: string | undefined;
  /** It carries the mark of one that is there already. */
  readonly twin: "half-made" | "of-our-account" | "whole" | undefined;
  /** It carries our mark as our create made it, and nobody has finished it. */
  readonly isHalfMade: boolean;
}

/**
 * What the entries of one list are called, by id (ADR 11): marked objects by the key of their mark, others by their
 * name, those that share it `name~id`, those without one by their id. Of several with one mark the elder has the name,
 * but one of `preferred` before all others.
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

/** The one that is known, then that is finished, then the oldest; undefined where owners differ. */
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
