import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Definition, NameReference } from "./namespace.js";
import type { ScopedPath } from "./scoped-path.js";

/**
 * Members that come and go in one live list.
 *
 * @internal Exported for tests that make one.
 */
export interface ListChange {
  /** XPath of the list. */
  readonly site: string;
  /** Empty would mean `any`. */
  readonly matches: boolean;
  /** Empty says something else than absent, so it is not emptied for a moment either. */
  readonly neverEmpty: boolean;
  readonly path: Path;
  readonly live: number;
  readonly added: number;
  readonly dropped: number;
}

/** A value that no two entries may hold; `key` names the value and among whom. */
export interface UniqueValue {
  readonly key: string;
  readonly path: Path;
}

/** What one write does to the web of names: all that order depends on. */
export interface Effects {
  readonly creates: Definition[];
  readonly removes: Definition[];
  readonly adds: NameReference[];
  readonly drops: NameReference[];
  readonly lists: ListChange[];
  readonly takes: UniqueValue[];
  readonly frees: UniqueValue[];
  /** Sides of choices made and ended in entries that live on: parent and group. */
  readonly chooses: string[];
  readonly unchooses: string[];
}

export function noEffects(): Effects {
  return { creates: [], removes: [], adds: [], drops: [], lists: [], takes: [], frees: [], chooses: [], unchooses: [] };
}

/** True where an empty list of members says something else than none. */
export function neverEmpty(shape: Shape): boolean {
  return shape.matchList || shape.choice !== undefined;
}

/** One key for all sides of a choice in one parent. */
export function choiceKey(place: ScopedPath): string {
  return `${place.path.parent}\n${place.shape.choice}`;
}
