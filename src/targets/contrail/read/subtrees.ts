import type { Path } from "../../../core/tree/path.js";
import { COLLECTIONS, nameParts } from "../collections.js";

/** What is read of one list: all of it, or the objects below some parents. */
export interface Wanted {
  readonly collection: string;
  /** Names of parents; undefined for the whole list. */
  readonly parents: readonly (readonly string[])[] | undefined;
}

/** Where more parents are asked for than this, one list of everything is less work for the controller. */
const MOST_PARENTS = 10;

/** Lists that are not asked for by the name of a parent: projects, and what may be below parents of several types. */
const WHOLE: ReadonlySet<string> = new Set(["projects", "floating-ips"]);

/** The lists that hold `subtrees`: one a type, or one a type and parent where single objects are asked for. */
export function wantedLists(subtrees: readonly Path[]): Wanted[] {
  const wanted = new Map<string, Map<string, readonly string[]> | undefined>();
  for (const path of subtrees) {
    const [, list, entry] = path.steps();
    for (const collection of list === undefined ? COLLECTIONS : [list.tag]) {
      const parents = wanted.has(collection) ? wanted.get(collection) : new Map<string, readonly string[]>();
      const parent = entry?.name === undefined ? undefined : nameParts(entry.name).slice(0, -1);
      if (parent === undefined || parents === undefined) wanted.set(collection, undefined);
      else wanted.set(collection, parents.set(parent.join(":"), parent));
    }
  }
  return [...wanted].map(([collection, parents]) => ({
    collection,
    parents: parents === undefined || parents.size > MOST_PARENTS || WHOLE.has(collection) ? undefined : [...parents.values()],
  }));
}

/** Fields that no list shows and a single read does when it is asked: what refers to a network, and what lies below it. */
const RELATIVES: ReadonlySet<string> = new Set(["instance_ip_back_refs", "virtual_machine_interface_back_refs", "routing_instances"]);

/** Names of networks of which `subtrees` ask for relatives. */
export function relativesWanted(subtrees: readonly Path[]): Set<string> {
  const names = new Set<string>();
  for (const path of subtrees) {
    const [, list, entry, field] = path.steps();
    if (list?.tag === "virtual-networks" && entry?.name !== undefined && field !== undefined && RELATIVES.has(field.tag))
      names.add(entry.name);
  }
  return names;
}
