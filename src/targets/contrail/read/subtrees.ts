import type { Path } from "../../../core/tree/path.js";
import { COLLECTIONS, nameParts } from "../collections.js";

/** Part of a list to read: all objects, or the objects below some parents. */
export interface Wanted {
  readonly collection: string;
  /** Names of parents. Undefined for the complete list. */
  readonly parents: readonly (readonly string[])[] | undefined;
}

/** Maximum number of parents to read one by one. Beyond it, one complete list is less work for the controller. */
const MOST_PARENTS = 10;

/** Lists that cannot be filtered by the name of a parent: projects, and objects with parents of several types. */
const READ_COMPLETELY: ReadonlySet<string> = new Set(["projects", "floating-ips"]);

/** Returns the lists that contain `subtrees`: one per type, or one per type and parent if single objects are wanted. */
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
    parents: parents === undefined || parents.size > MOST_PARENTS || READ_COMPLETELY.has(collection) ? undefined : [...parents.values()],
  }));
}

/** Fields that only a single read returns on request: the children and back references of a network. */
const RELATIVES: ReadonlySet<string> = new Set(["instance_ip_back_refs", "virtual_machine_interface_back_refs", "routing_instances"]);

/** Returns the names of networks whose children or back references are in `subtrees`. */
export function relativesWanted(subtrees: readonly Path[]): Set<string> {
  const names = new Set<string>();
  for (const path of subtrees) {
    const [, list, entry, field] = path.steps();
    if (list?.tag === "virtual-networks" && entry?.name !== undefined && field !== undefined && RELATIVES.has(field.tag))
      names.add(entry.name);
  }
  return names;
}
