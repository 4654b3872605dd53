import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Definition, NameReference } from "./namespace.js";
import type { ScopedPath } from "./scoped-path.js";

/**
 * Members that are added to and dropped from one live list.
 *
 * @internal Exported for tests that create one.
 */
export interface ListChange {
  /** XPath of the list. */
  readonly site: string;
  /** An empty list would mean `any`. */
  readonly matches: boolean;
  /** An empty list differs from an absent one, so it must not be empty temporarily either. */
  readonly neverEmpty: boolean;
  readonly path: Path;
  readonly live: number;
  readonly added: number;
  readonly dropped: number;
}

/** A value that must be unique. `key` contains the value and its range. */
export interface UniqueValue {
  readonly key: string;
  readonly path: Path;
}

/** Effects of one write on names and references. Ordering depends on these only. */
export interface Effects {
  readonly creates: Definition[];
  readonly removes: Definition[];
  readonly adds: NameReference[];
  readonly drops: NameReference[];
  readonly lists: ListChange[];
  readonly takes: UniqueValue[];
  readonly frees: UniqueValue[];
  /** Sides of choices that are chosen or removed in entries that stay, by parent and group. */
  readonly chooses: string[];
  readonly unchooses: string[];
  /** Kinds of object that could otherwise get a value that the write sets (`Shape.claims`). */
  readonly claims: string[];
}

export function noEffects(): Effects {
  return { creates: [], removes: [], adds: [], drops: [], lists: [], takes: [], frees: [], chooses: [], unchooses: [], claims: [] };
}

/** Returns whether an empty list of members differs from an absent one. */
export function neverEmpty(shape: Shape): boolean {
  return shape.matchList || shape.choice !== undefined;
}

/** Returns one key for all sides of a choice in one parent. */
export function choiceKey(place: ScopedPath): string {
  return `${place.path.parent}\n${place.shape.choice}`;
}
