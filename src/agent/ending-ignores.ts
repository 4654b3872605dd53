import { dayOf } from "../core/day.js";
import type { EndingIgnore } from "./commit-index.js";
import type { Visit, VisitParts } from "./visit-parts.js";

const DAY = 86_400_000;

/**
 * Reports ignores whose last day is tomorrow, today or past. From the day after, their paths count as drift. The report is repeated when
 * the list changes, and an empty list is reported once.
 */
export async function reportEndingIgnores({ target, state }: Pick<Visit, "target" | "state">, parts: VisitParts): Promise<void> {
  const { source, clock, events } = parts;
  const ignores = ignoresEnding(source.inForce?.targets.get(target)?.ignores ?? [], clock.now());
  const words = ignores.map(({ path, until, isOver }) => `${until} ${isOver} ${path}`).join("\n");
  if (words === (state.reportedIgnores ?? "")) return;
  state.reportedIgnores = words;
  await events.emit({ type: "ignores-ending", target, ignores });
}

/** Returns the ignores whose last day is tomorrow, today or past. */
function ignoresEnding(ignores: readonly EndingIgnore[], now: number): (EndingIgnore & { readonly isOver: boolean })[] {
  const [today, tomorrow] = [dayOf(now), dayOf(now + DAY)];
  return ignores.filter(({ until }) => until <= tomorrow).map((ignore) => ({ ...ignore, isOver: ignore.until < today }));
}

/** Numbers of ignores of a target. */
export interface EndingIgnores {
  readonly ending: number;
  readonly ended: number;
}

export function countEnding(ignores: readonly EndingIgnore[], now: number): EndingIgnores {
  const near = ignoresEnding(ignores, now);
  const ended = near.filter(({ isOver }) => isOver).length;
  return { ending: near.length - ended, ended };
}

/** Formats as `the ignore of /… ends on 2026-01-05 (ann: being replaced)`. */
export function endOf({ path, until, owner, reason, isOver }: EndingIgnore & { readonly isOver: boolean }): string {
  return `the ignore of ${path} ${isOver ? "ended" : "ends"} on ${until} (${owner}: ${reason})`;
}
