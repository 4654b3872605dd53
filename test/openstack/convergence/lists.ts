import type { Draw } from "../differential/draw.js";
import { type Fields, flag, Ref, Spelled, Unordered } from "./values.js";

/** Objects outside the documents that a project uses. */
export interface Surroundings {
  /** Id of another project. */
  readonly otherProject: string;
  readonly addressGroups: readonly string[];
  /** Snapshots of a volume. */
  readonly snapshots: readonly string[];
}

export type Lists = Map<string, Map<string, Fields>>;

export function put(lists: Lists, list: string, name: string, fields: Fields): void {
  const objects = lists.get(list) ?? new Map<string, Fields>();
  lists.set(list, objects.set(name, fields));
}

export const namesIn = (lists: Lists, list: string): string[] => [...(lists.get(list)?.keys() ?? [])];

const TEXTS = ["plain", "Zürich: rack #4", " two  spaces ", "yes", "0123", "a\nb", "'quoted' & <tagged>"];

/** Draws fields that objects of the network service share. */
export function standard(draw: Draw): Fields {
  const fields: Fields = {};
  if (draw.chance(40)) fields.description = draw.of([...TEXTS, new Spelled([undefined, ""])]);
  if (draw.chance(30)) fields.tags = new Unordered(draw.of([["a"], ["b", "a", "c d"], ["x=y", "Zürich"]]));
  return fields;
}

export function administered(draw: Draw): Fields {
  return draw.chance(30) ? { admin_state_up: flag(draw.chance(50), true) } : {};
}

/** Draws at least one of the groups, as the field `security_groups`. A list of members is never empty. */
export function someGroups(draw: Draw, lists: Lists): Fields {
  const names = namesIn(lists, "security_groups");
  const picked = names.filter(() => draw.chance(50));
  const drawn = picked.length === 0 ? [draw.of(names)] : picked;
  // The service refuses stateful and stateless groups on one port.
  const members = drawn.filter((name) => isStateless(lists, name) === isStateless(lists, drawn[0]));
  return { security_groups: new Unordered(members.map((name) => new Ref("security_groups", name, "row"))) };
}

function isStateless(lists: Lists, name: string | undefined): boolean {
  const stateful = lists.get("security_groups")?.get(name ?? "")?.stateful;
  return stateful instanceof Spelled && stateful.spellings[0] === false;
}
