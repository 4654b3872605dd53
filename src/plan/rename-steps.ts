import type { Path } from "../core/tree/path.js";
import type { Rename } from "./renames.js";

/** A rename as sent, and the wanted rename to which the step belongs. */
export interface RenameStep<Wanted extends Rename> extends Rename {
  readonly of: Wanted;
}

/**
 * Orders simultaneous renames so that no name is taken twice. A rename that frees a needed name goes first. In a cycle, one entry gets a
 * temporary name.
 */
export function renameSteps<Wanted extends Rename>(renames: readonly Wanted[], temporaryName: () => string): RenameStep<Wanted>[] {
  const waiting = renames.map((of): RenameStep<Wanted> => ({ at: of.at, newName: of.newName, of }));
  const former = new Set(renames.map(({ at }) => at.toString()));
  if (!waiting.some((each) => former.has(goal(each).toString()))) return waiting;
  const steps: RenameStep<Wanted>[] = [];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ at }) => at.toString()));
    const free = waiting.findIndex((each) => !names.has(goal(each).toString()));
    const [step] = waiting.splice(Math.max(free, 0), 1);
    if (step === undefined) break;
    if (free !== -1) {
      steps.push(step);
      continue;
    }
    const aside = { ...step, newName: temporaryName() };
    steps.push(aside);
    waiting.push({ ...step, at: goal(aside) });
  }
  return steps;
}

function goal({ at, newName }: Rename): Path {
  return (at.parent ?? at).entry(newName, at.tag);
}
