import { PlumblineError, type Where } from "../core/errors.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "./model.js";
import type { Problems } from "./problems.js";

/**
 * Reports renames in one list whose old name is also declared, or is used by two renames. Rules may take the name of another renamed rule.
 */
export function checkRenames(entries: readonly DesiredNode[], shape: Shape, where: (origin: number) => Where, problems: Problems): void {
  const renamed = entries.filter((entry) => entry.handling?.was !== undefined);
  if (renamed.length === 0) return;
  const staying = mayTakeEachOthersNames(shape) ? entries.filter((entry) => !givesUp(entry)) : entries;
  const taken = new Set(staying.map((entry) => entry.name));
  for (const entry of renamed) {
    const was = entry.handling?.was;
    if (taken.has(was))
      problems.error(
        new PlumblineError("rename-conflict", `"${entry.name}" was "${was}", but "${was}" is declared too, or renamed twice.`, {
          where: where(entry.origin),
          next: "Delete $was, or the entry that has the old name.",
        }),
      );
    taken.add(was);
  }
}

/** Returns whether entries may swap names: entries that cannot be referred to, and that have no identity in their name or id. */
export function mayTakeEachOthersNames({ kind, ordered, defines }: Shape): boolean {
  return kind === "list" && ordered && defines === undefined;
}

function givesUp({ name, handling }: DesiredNode): boolean {
  return handling?.was !== undefined && handling.was !== name;
}
