import { PlumblineError, type Where } from "../core/errors.js";
import type { DesiredNode } from "./model.js";
import type { Problems } from "./problems.js";

/** Reports renames whose old name is declared too, or is given up twice, among the entries of one list. */
export function checkRenames(entries: readonly DesiredNode[], where: (origin: number) => Where, problems: Problems): void {
  const renamed = entries.filter((entry) => entry.handling?.was !== undefined);
  if (renamed.length === 0) return;
  const taken = new Set(entries.map((entry) => entry.name));
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
