import type { Shape } from "../../../src/core/tree/shape.js";
import { type Field, fieldsOf, matches } from "./fields.js";
import { type Change, reactionTo, type World } from "./worlds.js";

export interface Judged {
  readonly shape: Shape;
  readonly world: World;
  /** Omits a place and everything below. */
  readonly skips: (tags: readonly string[]) => boolean;
  /** The text of a field that patterns match. */
  readonly textOf: (field: Field) => string;
  readonly irrelevant: readonly (readonly [reason: string, ...patterns: string[]])[];
  readonly values: readonly (readonly [pattern: string, change: Change])[];
}

/** Fields that the section does not report and that are not listed as irrelevant. */
export async function unreported({ shape, world, skips, textOf, irrelevant, values }: Judged): Promise<string[]> {
  const patterns = irrelevant.flatMap(([, ...each]) => each);
  const silent: string[] = [];
  for (const field of fieldsOf(shape, [], skips)) {
    const text = textOf(field);
    if (patterns.some((pattern) => matches(pattern, text))) continue;
    const change = values.find(([pattern]) => matches(pattern, text))?.[1];
    const reaction = await reactionTo(world, field, change);
    if (reaction !== "reported") silent.push(`${text}: ${reaction}`);
  }
  return silent;
}

/** Patterns of irrelevant fields that no field matches. */
export function unused({ shape, skips, textOf, irrelevant }: Omit<Judged, "world" | "values">): string[] {
  const texts = fieldsOf(shape, [], skips).map(textOf);
  return irrelevant.flatMap(([, ...each]) => each).filter((pattern) => !texts.some((text) => matches(pattern, text)));
}
